import type { FieldError } from '../app/screen.js';
import { plain } from './plain.js';
import { checked, joined, readDigits, unreadable, withoutWords, type Reading } from './read.js';

export type CardBrand = 'Visa' | 'Mastercard' | 'American Express' | 'Discover' | 'JCB' | 'Diners Club' | 'UnionPay';

const BRANDS: readonly (readonly [CardBrand, RegExp])[] = [
  ['Visa', /^4/],
  ['Mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['American Express', /^3[47]/],
  ['Discover', /^(6011|65|64[4-9])/],
  ['Diners Club', /^3(0[0-5]|[689])/],
  ['JCB', /^35/],
  ['UnionPay', /^62/],
];

/** The brand for a provider's name, such as `visa` or `amex`. */
export function brandNamed(name: string): CardBrand | null {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  if (plain === 'amex') return 'American Express';
  if (plain === 'diners') return 'Diners Club';
  return BRANDS.find(([brand]) => brand.toLowerCase().replace(' ', '') === plain)?.[0] ?? null;
}

/** The brand for the first digits of a card number; null until they determine it. */
export function cardBrand(text: string): CardBrand | null {
  const number = joined(text);
  return BRANDS.find(([, first]) => first.test(number))?.[0] ?? null;
}

/** Reads twelve to nineteen digits with a Luhn check digit. */
export function readCardNumber(text: string): Reading {
  return readDigits(text, cardNumberError, groupedCard);
}

function cardNumberError(number: string): FieldError | null {
  if (!/^\d{12,19}$/.test(number)) return 'not_a_card_number';
  const sum = [...number].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0 ? null : 'not_a_card_number';
}

const MONTH_FIRST = /^(0[1-9]|1[0-2]|[1-9](?=\/))\/?(?:20)?(\d\d)$/;
const YEAR_FIRST = /^20(\d\d)\/?(0?[1-9]|1[0-2])$/;

/**
 * Reads an expiry date as people and password managers write it: `12/34`, `1234`, `12-2034`, `122034`, `2034-12`. A card is valid through
 * the last day of its month, in UTC.
 */
export function readExpiry(text: string, at: number): Reading {
  const given = withoutWords(plain(text)).replace(/[\s./-]+/g, '/');
  const [, month = '', year = ''] = MONTH_FIRST.exec(given.replace(YEAR_FIRST, '$2/$1')) ?? [];
  if (month === '') return checked(given, unreadable(given, /[\d/]/) ?? 'not_an_expiry');
  const isValid = at < Date.UTC(2000 + Number(year), Number(month), 1);
  return checked(`${month.padStart(2, '0')}/${year}`, isValid ? null : 'card_expired');
}

export function readCvc(text: string): Reading {
  return readDigits(text, (code) => (/^\d{3,4}$/.test(code) ? null : 'not_a_cvc'));
}

/** A card number in groups of four, as printed on the card; 4-6-5 for American Express. Other text stays as typed. */
export function groupedCard(text: string): string {
  const digits = joined(text);
  if (!/^\d*$/.test(digits)) return text;
  if (cardBrand(digits) === 'American Express' && digits.length <= 15)
    return digits.replace(/^(.{4})(.{1,6})(.*)$/, (_, ...[first, second, third]: string[]) =>
      [first, second, third].filter(Boolean).join(' '),
    );
  return digits.replace(/(.{4})(?=.)/g, '$1 ');
}

/** Inserts the slash once the month is complete. Deleting it is allowed, and typing it as well does not add a second one. */
export function groupedExpiry(text: string, before: string): string {
  const given = plain(text).replaceAll(' ', '');
  if (/^\d+\/+\d*$/.test(given)) return given.replace(/\/+/, '/');
  const isDeleted = given.length === 2 && before.length > text.length;
  return /^(?:0[1-9]|1[0-2])\d{0,2}$/.test(given) && !isDeleted ? `${given.slice(0, 2)}/${given.slice(2)}` : text;
}
