/** Money is a decimal string. Arithmetic uses integers scaled by a power of ten, so nothing is rounded unless a function's name says so. */
export type Decimal = string;

const DECIMAL = /^-?\d+(\.\d+)?$/;

interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

/** Whether the text is a decimal: digits, at most one point, no exponent. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** Canonical form: `"100.0"` and `"100.00"` become equal, as do `"007"` and `"7"` (`docs/spec-notes.md` C8). */
export function normalise(decimal: Decimal): Decimal {
  return format(parse(decimal));
}

/** Numeric equality: `100.0` equals `100.00`. */
export function equals(a: Decimal, b: Decimal): boolean {
  return compare(a, b) === 0;
}

/** Numeric comparison, for sorting. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [left, right] = aligned(a, b);
  if (left.units === right.units) return 0;
  return left.units < right.units ? -1 : 1;
}

/** Exact sum. */
export function add(a: Decimal, b: Decimal): Decimal {
  const [left, right] = aligned(a, b);
  return format({ units: left.units + right.units, scale: left.scale });
}

/** Exact difference; may be negative. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  const [left, right] = aligned(a, b);
  return format({ units: left.units - right.units, scale: left.scale });
}

/** Exact product, with as many digits as needed. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  const left = parse(a);
  const right = parse(b);
  return format({ units: left.units * right.units, scale: left.scale + right.scale });
}

/** Quotient truncated to `scale` fractional digits. Throws on a zero divisor. */
export function divideDown(a: Decimal, b: Decimal, scale: number): Decimal {
  const left = parse(a);
  const right = parse(b);
  if (right.units === 0n) throw new RangeError('Division by zero.');
  const numerator = left.units * 10n ** BigInt(scale + right.scale);
  return format({ units: numerator / (right.units * 10n ** BigInt(left.scale)), scale });
}

/** Quotient truncated to `digits` significant digits, for rates. Digits before the point are always kept. */
export function divideSignificant(a: Decimal, b: Decimal, digits: number): Decimal {
  const left = parse(a);
  const right = parse(b);
  if (right.units === 0n) throw new RangeError('Division by zero.');
  const numerator = left.units * 10n ** BigInt(right.scale);
  const denominator = right.units * 10n ** BigInt(left.scale);
  // The quotient has as many digits as the lengths differ by, or one more, so this scale gives at most one digit too many.
  const scale = Math.max(0, digits - (length(numerator) - length(denominator)));
  const units = (numerator * 10n ** BigInt(scale)) / denominator;
  return length(units) > digits && scale > 0
    ? format({ units: units / 10n, scale: scale - 1 })
    : format({ units, scale });
}

/** Truncated and padded to exactly `scale` fractional digits, for display. */
export function toFixedDown(decimal: Decimal, scale: number): Decimal {
  const { units, scale: from } = parse(decimal);
  const rescaled = from > scale ? units / 10n ** BigInt(from - scale) : units * 10n ** BigInt(scale - from);
  return text(rescaled, scale);
}

/** Whether the amount is greater than zero. */
export function isPositive(decimal: Decimal): boolean {
  return parse(decimal).units > 0n;
}

function parse(decimal: Decimal): Scaled {
  if (!isDecimal(decimal)) throw new TypeError('Not a decimal string.');
  const dot = decimal.indexOf('.');
  if (dot < 0) return { units: BigInt(decimal), scale: 0 };
  return { units: BigInt(decimal.slice(0, dot) + decimal.slice(dot + 1)), scale: decimal.length - dot - 1 };
}

function aligned(a: Decimal, b: Decimal): readonly [Scaled, Scaled] {
  const left = parse(a);
  const right = parse(b);
  const scale = Math.max(left.scale, right.scale);
  return [rescale(left, scale), rescale(right, scale)];
}

/** Number of decimal digits, without the sign. */
function length(units: bigint): number {
  return (units < 0n ? -units : units).toString().length;
}

function rescale(value: Scaled, scale: number): Scaled {
  return { units: value.units * 10n ** BigInt(scale - value.scale), scale };
}

function format(value: Scaled): Decimal {
  const padded = text(value.units, value.scale);
  return value.scale === 0 ? padded : padded.replace(/\.?(?<!0)0+$/, '');
}

function text(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Currencies whose minor unit is not two digits (ISO 4217). */
const MINOR_UNITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'ISK',
      'JPY',
      'KMF',
      'KRW',
      'PYG',
      'RWF',
      'UGX',
      'UYI',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((code) => [code, 0] as const),
  ),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const)),
  CLF: 4,
  UYW: 4,
};

/** Maximum number of fractional digits of the currency (ISO 4217). */
export function currencyDecimals(currency: string): number {
  return MINOR_UNITS[currency.toUpperCase()] ?? 2;
}

/** Whether the amount is payable in the currency. Compared by value: `100.000` EUR is 100 EUR. */
export function fitsCurrency(amount: string, currency: string): boolean {
  if (!isDecimal(amount)) return false;
  const [, fraction = ''] = normalise(amount).split('.');
  return fraction.length <= currencyDecimals(currency);
}
