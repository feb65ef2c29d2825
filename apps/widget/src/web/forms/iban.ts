import type { FieldError } from '../app/screen.js';

/** Checks for a country code, two check digits and an account, and verifies the check digits (ISO 13616, MOD 97-10). */
export function ibanError(text: string): FieldError | null {
  const iban = text.replace(/\s/g, '').toUpperCase();
  if (iban === '') return 'required';
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban)) return 'not_an_iban';
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest === 1 ? null : 'not_an_iban';
}

export function groupedIban(text: string): string {
  return text
    .replace(/[^0-9a-zA-Z]/g, '')
    .toUpperCase()
    .slice(0, 34)
    .replace(/(.{4})(?=.)/g, '$1 ');
}
