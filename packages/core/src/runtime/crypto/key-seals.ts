import { createHmac, hash } from 'node:crypto';
import type { KeySeal } from '../../ports/crypto.js';
import { type RandomBytes, seal, unseal } from './sealed-box.js';

export type KeySeals = (scope: string, idempotencyKey: string) => KeySeal;

/**
 * Derives everything for one idempotency key with a single HMAC: input under a secret root needs no stretching, and HKDF costs three times
 * as much. `root` is derived from the pepper for this purpose only.
 */
export function keySeals(root: Uint8Array, random: RandomBytes): KeySeals {
  return (scope, idempotencyKey) => {
    // The length prefix makes the encoding of scope and key unambiguous.
    const derived = createHmac('sha512', root).update(`${scope.length}:${scope}${idempotencyKey}`).digest();
    const name = derived.toString('hex', 0, 16);
    const key = derived.subarray(16, 48);
    const fingerprintKey = derived.toString('hex', 48, 64);
    return {
      hash: name,
      // A secret prefix is sufficient here: it is as long as a key, and digests are only stored in our own rows.
      fingerprint: (text) => hash('sha256', `${fingerprintKey}\n${text}`, 'hex'),
      seal: (text, fingerprint) => seal(key, text, associated(scope, name, fingerprint), random),
      open: (sealed, fingerprint) =>
        unseal(key, sealed, associated(scope, name, fingerprint))?.toString('utf8') ?? null,
    };
  };
}

/** Length prefixes make the encoding of the parts unambiguous. */
function associated(scope: string, name: string, fingerprint: string): string {
  return `${scope.length}:${name.length}:${scope}${name}${fingerprint}`;
}
