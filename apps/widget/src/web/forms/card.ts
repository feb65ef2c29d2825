import type { FieldError } from '../app/screen.js';

/** A typed card number without spaces and hyphens. */
export function cardDigits(text: string): string {
  return text.replace(/[\s-]/g, '');
}

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
  const number = cardDigits(text);
  return BRANDS.find(([, first]) => first.test(number))?.[0] ?? null;
}

/** Checks for twelve to nineteen digits with a Luhn check digit. */
export function cardNumberError(text: string): FieldError | null {
  const number = cardDigits(text);
  if (number === '') return 'required';
  if (!/^\d{12,19}$/.test(number)) return 'not_a_card_number';
  const sum = [...number].reverse().reduce((total, character, index) => {
    const digit = Number(character) * (index % 2 === 0 ? 1 : 2);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  return sum % 10 === 0 ? null : 'not_a_card_number';
}

/** Parses an expiry date typed as `1234`, `12 / 34` or `12/2034`; null for other text. */
function readExpiry(text: string): { readonly month: number; readonly year: number } | null {
  const parts = /^(\d{1,2})\/?(?:20)?(\d{2})$/.exec(text.replace(/[\s.-]/g, ''));
  const month = Number(parts?.[1]);
  return parts === null || month < 1 || month > 12 ? null : { month, year: 2000 + Number(parts[2]) };
}

/** Checks an expiry date. A card is valid through the last day of its month, in UTC. */
export function expiryError(text: string, at: number): FieldError | null {
  if (text.trim() === '') return 'required';
  const expiry = readExpiry(text);
  if (expiry === null) return 'not_an_expiry';
  return at < Date.UTC(expiry.year, expiry.month, 1) ? null : 'card_expired';
}

export function cvcError(text: string): FieldError | null {
  const code = text.trim();
  if (code === '') return 'required';
  return /^\d{3,4}$/.test(code) ? null : 'not_a_cvc';
}

/** The expiry date in its wire format, `MM/YY`. */
export function expiryText(text: string): string {
  const expiry = readExpiry(text);
  return expiry === null
    ? text
    : `${String(expiry.month).padStart(2, '0')}/${String(expiry.year % 100).padStart(2, '0')}`;
}

/** A card number in groups of four, as printed on the card; 4-6-5 for American Express. */
export function groupedCard(text: string): string {
  const digits = cardDigits(text).slice(0, 19);
  if (cardBrand(digits) === 'American Express' && digits.length <= 15)
    return digits.replace(/^(.{4})(.{1,6})(.*)$/, (_, ...[first, second, third]: string[]) =>
      [first, second, third].filter(Boolean).join(' '),
    );
  return digits.replace(/(.{4})(?=.)/g, '$1 ');
}

/** Inserts the slash once the month is complete. Deleting it is allowed, and typing it as well does not add a second one. */
export function groupedExpiry(text: string, before: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 4);
  const asTyped = text
    .replace(/[^\d/]/g, '')
    .replace(/\/+/g, '/')
    .slice(0, 7);
  if (digits.length < 2 || (digits.length === 2 && before.length > text.length)) return asTyped;
  return text.includes('/') ? asTyped : `${digits.slice(0, 2)}/${digits.slice(2)}`;
}
