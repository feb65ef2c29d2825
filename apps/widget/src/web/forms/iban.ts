import type { FieldError } from '../app/screen.js';
import { plain } from './plain.js';
import { checked, joined, SENTENCE_MAX, unreadable, type Reading } from './read.js';

/** Reads a country code, two check digits and an account, with the word "IBAN" or others around them. */
export function readIban(text: string): Reading {
  const written = joined(withoutWords(plain(text)));
  // In capitals only now, since capitals of other letters can be Latin: ı, ß.
  const iban = written.toUpperCase();
  return checked(iban, unreadable(written, /[A-Za-z\d]/) ?? ibanError(iban), groupedIban(iban));
}

/** An IBAN contains letters itself, in groups of up to four: words are all letters before its country code, and longer ones after it. */
function withoutWords(text: string): string {
  if (text.length > SENTENCE_MAX) return text;
  return withoutLongWords(text.replace(/^(?:\p{L}+[:.,\s]+)*?(?:IBAN)?(?=[A-Z][\s.-]*[A-Z][\s.-]*\d)/iu, ''));
}

function withoutLongWords(text: string): string {
  if (/[\s,;(]$/.test(text)) return text;
  const words = [...text.matchAll(/[^\s,;(]+/g)];
  const [last] = words.slice(words.findLastIndex(([word], at) => at === 0 || !/^\p{L}{5,}[).]*$/u.test(word)));
  return last === undefined ? text : text.slice(0, last.index + last[0].length);
}

/** Verifies the check digits (ISO 13616, MOD 97-10). */
function ibanError(iban: string): FieldError | null {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban)) return 'not_an_iban';
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  return rest === 1 ? null : 'not_an_iban';
}

/** An IBAN in groups of four. Other text stays as typed. */
export function groupedIban(text: string): string {
  const iban = joined(text);
  return /^[\dA-Za-z]*$/.test(iban) ? iban.toUpperCase().replace(/(.{4})(?=.)/g, '$1 ') : text;
}
