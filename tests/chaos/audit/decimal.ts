const places = 18;

/** Decimal text in units of the 18th decimal place, so that sums are exact. */
export function unitsOf(decimal: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(decimal) ?? [];
  if (whole === '') throw new Error(`${decimal} is no decimal.`);
  return BigInt(sign + whole + fraction.padEnd(places, '0'));
}

export const sumOf = (decimals: readonly string[]): bigint =>
  decimals.reduce((sum, decimal) => sum + unitsOf(decimal), 0n);

/** As decimal text. */
export function decimalOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`;
}
