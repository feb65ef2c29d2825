import { plain } from '../forms/plain.js';
import { checked, type Reading } from '../forms/read.js';

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
  const [odd] = /\d/.test(given) ? (/[\p{L}\p{M}]+|[^\d.,' \u066b]/u.exec(given) ?? []) : [];
  if (odd !== undefined) return checked(given, `cannot_read ${odd}`);
  const [, before = '', point = '', after = ''] = /^(.*?)(?:([.,\u066b])(\d*))?$/.exec(given) ?? [];
  if (/^[1-9]\d{0,2}$/.test(before) && /^[.,]$/.test(point) && after.length === 3) return checked(given, 'two_amounts');
  // Repeated, it separates groups: `1.000.000`.
  const [whole, fraction] = point !== '' && before.includes(point) ? [before + point + after, ''] : [before, after];
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  const isAmount = /^\d*$/.test(whole) || GROUPED.test(whole);
  if (!isAmount || digits.length > DIGITS_MAX || fraction.length > decimals || !/\d/.test(given))
    return checked(text.trim(), 'not_an_amount');
  const end = fraction && `.${fraction}`;
  return checked(digits + end, null, digits + (point === ',' ? end.replace('.', ',') : end));
}

/** Drops the code or the symbol of the currency. */
function withoutCurrency(text: string, currency: string): string {
  const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol', maximumFractionDigits: 0 } as const;
  const symbol = new Intl.NumberFormat('en', format).format(0).replace(/[\s0]/g, '');
  const capitals = text.toUpperCase();
  const name = [currency, symbol.toUpperCase()].find((one) => capitals.startsWith(one) || capitals.endsWith(one)) ?? '';
  return (capitals.startsWith(name) ? text.slice(name.length) : text.slice(0, -name.length)).trim();
}
