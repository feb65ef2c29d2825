import type { RandomBytes } from '../crypto/random-pool.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 in a byte. A byte above it is thrown away: taking its remainder would favour the first digits. */
const UNBIASED_BELOW = 248;

const DRAW_BYTES_MAX = 256;

/** `length` characters, each equally likely. */
export function base62(length: number, random: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(Math.min(length - text.length, DRAW_BYTES_MAX))) {
      if (byte < UNBIASED_BELOW) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
