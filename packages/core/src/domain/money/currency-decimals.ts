import { isDecimal, normalise } from './decimal.js';

/** Minor units of ISO 4217 where they are not two. */
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

/** The most fractional digits that an amount of the currency has (ISO 4217). */
export function currencyDecimals(currency: string): number {
  return MINOR_UNITS[currency.toUpperCase()] ?? 2;
}

/** Whether the amount can be paid in the currency. It is compared by value: `100.000` EUR is 100 EUR. */
export function fitsCurrency(amount: string, currency: string): boolean {
  if (!isDecimal(amount)) return false;
  const [, fraction = ''] = normalise(amount).split('.');
  return fraction.length <= currencyDecimals(currency);
}
