import type { ApiKey } from '@gateramp/core';

const KEY_ID_LENGTH = 16;

/** Names a key without showing anything of it: the beginning of its hash. */
export function keyId({ hash }: ApiKey): string {
  return hash.slice(0, KEY_ID_LENGTH);
}
