import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** Returns `count` random bytes that are valid until the next call, so use or copy them immediately. */
export type RandomBytes = (count: number) => Buffer;

const POOL_BYTES = 8 * 1024;

/** Draws random bytes in bulk, because a system call costs as much for 8 KiB as for 12 bytes. No byte is returned twice. */
export function randomPool(): RandomBytes {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (count > POOL_BYTES) throw new RangeError(`At most ${POOL_BYTES} random bytes at a time.`);
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM; returns base64 of nonce, ciphertext and tag. `associated` is authenticated but not included. */
export function seal(key: Uint8Array, plain: string | Uint8Array, associated: string, random: RandomBytes): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associated));
  const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  // GCM is a stream cipher: `final()` returns no bytes, it only computes the tag.
  cipher.final();
  return Buffer.concat([nonce, text, cipher.getAuthTag()], NONCE_BYTES + text.length + TAG_BYTES).toString('base64');
}

/** Null if it was encrypted with another key or other associated data, was altered, or is malformed. */
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
