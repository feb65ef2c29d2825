import type { ApiKey } from '@gateramp/core';

const KEY_ID_LENGTH = 16;

/** Identifies a key by the first characters of its hash, which reveal nothing about it. */
export function keyId({ hash }: ApiKey): string {
  return hash.slice(0, KEY_ID_LENGTH);
}
