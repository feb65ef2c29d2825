/**
 * Decimal texts in the way of a language, every digit of them kept: nothing here is ever a float. Digits are those that
 * banks print everywhere, also where a language has its own.
 */
export function formatDecimal(amount: string, locale: string): string {
  return written(amount, locale, {});
}

/** Money of countries, its sign where the language puts it. */
export function formatFiat(amount: string, currency: string, locale: string): string {
  return written(amount, locale, { style: 'currency', currency });
}

/** What has no sign of its own is followed by its code, and never parted from it. */
export function formatCrypto(amount: string, asset: string, locale: string): string {
  return `${formatDecimal(amount, locale)}\u00a0${asset}`;
}

/** One side of a price: on a network it is crypto, else money of a country. */
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

/** Cuts the digits of a rate that are not shown; the price itself is computed from all of it, and not here. */
export function shortDecimal(amount: string, digits: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const significant = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const kept = fraction.slice(0, significant + digits).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** The language lays out the whole part and the signs; the digits after the point are put in as they are. */
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
