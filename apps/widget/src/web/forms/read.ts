import type { FieldError } from '../app/screen.js';
import { plain, visible } from './plain.js';

/** What a field's text means: the value to send and the text to show for it, or why it cannot be read. */
export type Reading = { readonly value: string; readonly shown: string } | { readonly error: FieldError };

export type Reader = (text: string) => Reading;

/** The reading of a value: `required` if it is empty, otherwise the error found in it, if any. */
export function checked(value: string, error: FieldError | null, shown = value): Reading {
  if (value === '') return { error: 'required' };
  return error === null ? { value, shown } : { error };
}

export function errorOf(reading: Reading): FieldError | null {
  return 'error' in reading ? reading.error : null;
}

/** The characters that people write between digits. */
const BETWEEN = /[\s.-]/g;

/** Plain text without the spaces, dots and dashes that people write between digits. */
export function joined(text: string): string {
  return plain(text).replace(BETWEEN, '');
}

/** Reads a number written in digits. `errorFor` checks those digits, and `shownAs` groups them. */
export function readDigits(
  text: string,
  errorFor: (digits: string) => FieldError | null,
  shownAs?: (digits: string) => string,
): Reading {
  const digits = joined(withoutWords(plain(text)));
  return checked(digits, unreadable(digits, /\d/) ?? errorFor(digits), shownAs?.(digits));
}

/** The error that names the first character that is not among the expected ones; null for text without a digit, which is another thing. */
export function unreadable(text: string, expected: RegExp): FieldError | null {
  const character = [...text].find((one) => !expected.test(one));
  return character === undefined || !/\d/.test(text) ? null : `cannot_read ${character}`;
}

/** A word of at least two letters, in the punctuation of a sentence. */
const WORD = /^[("'«„“”‘’]?\p{L}[\p{L}\p{M}'’.]+[)"'»“”‘’:,;.!?]*$/u;

const PUNCTUATION = /^[.,:;-]+$/;

/** Letters that are typed or scanned in place of digits, or that hide digits: `O`, `l`, `xxxx`. */
const LIKE_DIGITS = /^[OoQDIlLSsZzBbGgqTXx\p{P}]+$/u;

/** Words are dropped from shorter text only, since the time that it takes can grow with the square of the length. */
export const SENTENCE_MAX = 500;

/** Drops the words before and after a number: `Card: 4242…`, `123456 is your code.` A word that may be mistyped digits stays. */
export function withoutWords(text: string): string {
  if (text.length > SENTENCE_MAX) return text;
  const parts = text.replace(/:\s*/g, ': ').trim().split(' ');
  const isNumber = (part: string): boolean => !PUNCTUATION.test(part) && (!WORD.test(part) || LIKE_DIGITS.test(part));
  const first = parts.findIndex(isNumber);
  if (first === -1) return text;
  const after = parts.length - [...parts].reverse().findIndex(isNumber);
  return parts
    .slice(first, after)
    .join(' ')
    .replace(/(?<![.,:;])[.,:;]+$/, '');
}

/** Reads a name in any script. */
export const readName: Reader = (text) => checked(visible(text), null);

/** Reads an identifier of letters and digits, whose form is unknown. */
export const readIdentifier: Reader = (text) => checked(plain(text), null);

/** Reads a one-time code. Some banks send letters too. */
export function readCode(text: string): Reading {
  const digits = joined(withoutWords(plain(text)));
  const code = /^\d+$/.test(digits) ? digits : plain(text).replaceAll(' ', '');
  return checked(code, unreadable(code, /[\w-]/));
}
