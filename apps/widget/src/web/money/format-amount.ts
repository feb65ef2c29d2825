/**
 * Formats a decimal string for a locale and keeps every digit: nothing is converted to a float. Uses Latin digits in every language, as
 * banks do.
 */
export function formatDecimal(amount: string, locale: string): string {
  return written(amount, locale, {});
}

/** Formats an amount in a fiat currency, with its symbol placed as in the locale. */
export function formatFiat(amount: string, currency: string, locale: string): string {
  return written(amount, locale, { style: 'currency', currency });
}

/** Formats a crypto amount with its code, joined by a no-break space. */
export function formatCrypto(amount: string, asset: string, locale: string): string {
  return `${formatDecimal(amount, locale)}\u00a0${asset}`;
}

/** Formats one side of a price: crypto if it has a network, otherwise fiat. */
export function formatSide(
  {
    amount,
    currency,
    network,
  }: { readonly amount: string; readonly currency: string; readonly network: string | null },
  locale: string,
): string {
  return network === null ? formatFiat(amount, currency, locale) : formatCrypto(amount, currency, locale);
}

/** Truncates a rate for display. The service computes the price from the full rate. */
export function shortDecimal(amount: string, digits: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const significant = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  let end = Math.min(fraction.length, significant + digits);
  while (fraction[end - 1] === '0') end -= 1;
  const kept = fraction.slice(0, end);
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** `Intl` formats the integer part and the symbols; the fraction digits are inserted unchanged. */
function written(amount: string, locale: string, options: Intl.NumberFormatOptions): string {
  const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const digits = fraction === '' ? 0 : 1;
  const format = new Intl.NumberFormat(locale, {
    ...options,
    numberingSystem: 'latn',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format
    .formatToParts(BigInt(whole))
    .map(({ type, value }) => (type === 'fraction' ? fraction : value))
    .join('');
}
