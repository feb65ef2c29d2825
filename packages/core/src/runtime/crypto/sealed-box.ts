import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** Gives `count` random bytes, good until the next call: use or copy them at once. */
export type RandomBytes = (count: number) => Buffer;

const POOL_BYTES = 8 * 1024;

/** One call to the system's generator costs as much for 8 KiB as for 12 bytes, so bytes are drawn in bulk. No byte is given out twice. */
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
