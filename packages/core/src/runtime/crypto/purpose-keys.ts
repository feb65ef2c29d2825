import { createHmac } from 'node:crypto';

/** The key of a purpose: always the same for one pepper, and no key gives another away. */
export type PurposeKeys = (purpose: string) => Buffer;

/** Purposes are names in the code, a handful; a caller that makes them up as it goes must not fill the memory. */
const CACHED_MAX = 64;

export function purposeKeys(pepper: Uint8Array): PurposeKeys {
  const cache = new Map<string, Buffer>();
  return (purpose) => {
    const cached = cache.get(purpose);
    if (cached !== undefined) return cached;
    const key = createHmac('sha256', pepper).update(`gateramp/${purpose}`).digest();
    if (cache.size < CACHED_MAX) cache.set(purpose, key);
    return key;
  };
}
