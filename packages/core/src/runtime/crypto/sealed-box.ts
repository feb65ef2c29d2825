import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { RandomBytes } from './random-pool.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM as base64 of nonce, ciphertext and tag. `associated` is authenticated and not kept. */
export function seal(key: Uint8Array, plain: string | Uint8Array, associated: string, random: RandomBytes): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associated));
  const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  // GCM is a stream cipher: final() yields no bytes, it only makes the tag.
  cipher.final();
  return Buffer.concat([nonce, text, cipher.getAuthTag()], NONCE_BYTES + text.length + TAG_BYTES).toString('base64');
}

/** Null when it was sealed with another key or other associated data, was altered, or is no box at all. */
export function unseal(key: Uint8Array, sealed: string, associated: string): Buffer | null {
  const box = Buffer.from(sealed, 'base64');
  const tagAt = box.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(box.subarray(tagAt));
  const text = decipher.update(box.subarray(NONCE_BYTES, tagAt));
  try {
    decipher.final();
    return text;
  } catch {
    return null;
  }
}
