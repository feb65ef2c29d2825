import { plain } from '../forms/plain.js';
import { readAs, unread, type Reading } from '../forms/read.js';

const DIGITS_MAX = 12;

/** Groups of three digits, or in India of two before the last three, all with the same separator. */
const GROUPED = /^\d{1,3}(?:([.,' ])(?:\d{2,3}\1)*\d{3})?$/;

/**
 * Reads a typed amount in a currency: `1234.5`, `1.234,50`, `1 234,50`, `1’234.50`, `12,34,567.50`, with the currency before or after it.
 * `1.000` may be one or a thousand, so it is not read. Nor is an amount in another currency.
 */
export function readAmount(text: string, { currency, decimals }: { currency: string; decimals: number }): Reading {
  const given = withoutCurrency(plain(text), currency)
    .replace(/['\u2018\u2019\u02bc`\u00b4\u066c]/g, "'")
    .replace(/[.,]-{0,2}$/, '');
  if (given === '') return unread(text.trim() === '' ? 'required' : 'not_an_amount');
  if (!/\d/.test(given)) return unread('not_an_amount');
  const [odd] = /[\p{L}\p{M}]+|[^\d.,' \u066b]/u.exec(given) ?? [];
  if (odd !== undefined) return unread(`cannot_read ${odd}`);
  const [, before = '', point = '', after = ''] = /^(.*?)(?:([.,\u066b])(\d*))?$/.exec(given) ?? [];
  if (/^[1-9]\d{0,2}$/.test(before) && /^[.,]$/.test(point) && after.length === 3) return unread('two_amounts');
  // Repeated, it separates groups: `1.000.000`.
  const [whole, fraction] = point !== '' && before.includes(point) ? [before + point + after, ''] : [before, after];
  if (!/^\d*$/.test(whole) && !GROUPED.test(whole)) return unread('not_an_amount');
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  if (digits.length > DIGITS_MAX || fraction.length > decimals) return unread('not_an_amount');
  return fraction === ''
    ? readAs(digits)
    : readAs(`${digits}.${fraction}`, `${digits}${point === ',' ? ',' : '.'}${fraction}`);
}

/** Drops the code or the symbol of the currency. */
function withoutCurrency(text: string, currency: string): string {
  const names = (['code', 'symbol', 'narrowSymbol'] as const).map(
    (currencyDisplay) =>
      new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
        .formatToParts(0)
        .find(({ type }) => type === 'currency')?.value ?? currency,
  );
  for (const name of names) {
    if (text.toUpperCase().startsWith(name.toUpperCase())) return text.slice(name.length).trim();
    if (text.toUpperCase().endsWith(name.toUpperCase())) return text.slice(0, -name.length).trim();
  }
  return text;
}
