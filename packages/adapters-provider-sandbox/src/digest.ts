import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** SHA-256 in hex. The encoding of the parts is unambiguous. */
export function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** HMAC-SHA256, hex. */
export function keyedDigest(key: string, ...data: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of data) hmac.update(part);
  return hmac.digest('hex');
}

/** Compares hex digests of equal length in constant time. */
export function sameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
