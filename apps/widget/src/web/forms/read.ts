import type { FieldError } from '../app/screen.js';
import { plain, visible } from './plain.js';

/** What a field's text means: the value to send and the text to show for it, or why it cannot be read. */
export type Reading = { readonly value: string; readonly shown: string } | { readonly error: FieldError };

export type Reader = (text: string) => Reading;

export const readAs = (value: string, shown = value): Reading => ({ value, shown });

export const unread = (error: FieldError): Reading => ({ error });

export function errorOf(reading: Reading): FieldError | null {
  return 'error' in reading ? reading.error : null;
}

/** The characters that people write between digits. */
const BETWEEN = /[\s.-]/g;

/** Plain text without the spaces, dots and dashes that people write between digits. */
export function joined(text: string): string {
  return plain(text).replace(BETWEEN, '');
}

/** Reads a number written in digits. `errorFor` checks those digits. */
export function readDigits(text: string, errorFor: (digits: string) => FieldError | null, shownAs = same): Reading {
  const digits = joined(withoutWords(plain(text)));
  if (digits === '') return unread('required');
  const error = /^\d+$/.test(digits) ? errorFor(digits) : (unreadable(digits, /\d/) ?? errorFor(digits));
  return error === null ? readAs(digits, shownAs(digits)) : unread(error);
}

const same = (text: string): string => text;

/** The error that names the first character that is not among the expected ones; null for text without a digit, which is another thing. */
export function unreadable(text: string, expected: RegExp): FieldError | null {
  const character = [...text].find((one) => !expected.test(one));
  return character === undefined || !/\d/.test(text) ? null : `cannot_read ${character}`;
}

/** A word of at least two letters, in the punctuation of a sentence. */
const WORD = /^[("'«„“”‘’]?\p{L}[\p{L}\p{M}'’.]+[)"'»“”‘’:,;.!?]*$/u;

const PUNCTUATION = /^[.,:;-]+$/;

/** Letters that are typed or scanned in place of digits, or that hide digits, in Latin, Cyrillic, Greek and Arabic: `O`, `l`, `xxxx`. */
const LIKE_DIGITS =
  /^[OoQDIlLSsZzBbGgqTXx\u041e\u043e\u0417\u0437\u0431\u0406\u0425\u0445\u039f\u03bf\u0399\u03a7\u0627\u0647\p{P}]+$/u;

/** Drops the words before and after a number: `Card: 4242…`, `123456 is your code.` A word that may be mistyped digits stays. */
export function withoutWords(text: string): string {
  const parts = text.replace(/:\s*/g, ': ').trim().split(' ');
  const isNumber = (part: string): boolean => !PUNCTUATION.test(part) && (!WORD.test(part) || LIKE_DIGITS.test(part));
  const first = parts.findIndex(isNumber);
  if (first === -1) return text;
  const after = parts.length - [...parts].reverse().findIndex(isNumber);
  return parts
    .slice(first, after)
    .join(' ')
    .replace(/[.,:;]+$/, '');
}

/** Reads a name in any script. */
export function readName(text: string): Reading {
  const name = visible(text);
  return name === '' ? unread('required') : readAs(name);
}

/** Reads an identifier of letters and digits, whose form is unknown. */
export function readIdentifier(text: string): Reading {
  const identifier = plain(text);
  return identifier === '' ? unread('required') : readAs(identifier);
}

const CODE_MAX = 20;

/** Reads a one-time code. Some banks send letters too. */
export function readCode(text: string): Reading {
  const code = joined(withoutWords(plain(text)));
  const written = /^\d+$/.test(code) ? code : plain(text).replaceAll(' ', '');
  if (written === '') return unread('required');
  const error = unreadable(written, /[\w-]/) ?? (written.length > CODE_MAX ? 'refused' : null);
  return error === null ? readAs(written) : unread(error);
}
