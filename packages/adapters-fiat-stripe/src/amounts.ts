/** Currencies without a minor unit at Stripe, see https://docs.stripe.com/currencies. */
const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Currencies in thousandths, in which the last digit must be zero. */
const THREE_DECIMAL = new Set('BHD JOD KWD OMR TND'.split(' '));
/** Currencies in hundredths, in which the last two digits must be zero. */
const WHOLE_ONLY = new Set(['ISK', 'UGX']);

/** The decimal digits of a currency at Stripe, and how many of them can be other than zero. */
function scaleOf(currency: string): { readonly digits: number; readonly usable: number } {
  if (ZERO_DECIMAL.has(currency)) return { digits: 0, usable: 0 };
  if (THREE_DECIMAL.has(currency)) return { digits: 3, usable: 2 };
  return { digits: 2, usable: WHOLE_ONLY.has(currency) ? 0 : 2 };
}

/** The amount in Stripe's unit of the currency; null when the unit cannot express it. Nothing is rounded. */
export function toStripeAmount(amount: string, currency: string): number | null {
  const { digits, usable } = scaleOf(currency);
  const [, whole = '', fraction = ''] = /^(\d{1,15})(?:\.(\d+))?$/.exec(amount) ?? [];
  const significant = fraction.replace(/(?<!0)0+$/, '');
  if (whole === '' || significant.length > usable) return null;
  const units = Number(`${whole}${significant.padEnd(digits, '0')}`);
  return Number.isSafeInteger(units) ? units : null;
}

/** A Stripe amount as decimal text, with the digits of its currency. */
export function fromStripeAmount(units: number, currency: string): string {
  const { digits } = scaleOf(currency);
  const sign = units < 0 ? '-' : '';
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  return `${sign}${digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`}`;
}
