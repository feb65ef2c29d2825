import { createHmac } from 'node:crypto';
import type { IdempotencyRef } from '../../ports/change.js';
import type { RandomBytes } from './random-pool.js';
import { seal, unseal } from './sealed-box.js';

/** Seals replies so that only the installation together with the raw idempotency key opens them (`docs/spec-notes.md` C1). */
export interface ReplySeals {
  seal(text: string, idempotencyKey: string, ref: IdempotencyRef): string;
  open(sealed: string, idempotencyKey: string, ref: IdempotencyRef): string | null;
}

/** `root` is derived from the pepper for replies alone. */
export function replySeals(root: Uint8Array, random: RandomBytes): ReplySeals {
  return {
    seal: (text, idempotencyKey, ref) => seal(replyKey(root, idempotencyKey, ref), text, associated(ref), random),
    open: (sealed, idempotencyKey, ref) =>
      unseal(replyKey(root, idempotencyKey, ref), sealed, associated(ref))?.toString('utf8') ?? null,
  };
}

/** One HMAC derives the key: its input under a secret root needs no stretching, and HKDF costs three times as much. */
function replyKey(root: Uint8Array, idempotencyKey: string, { scope }: IdempotencyRef): Buffer {
  return createHmac('sha256', root).update(`${scope.length}:${scope}${idempotencyKey}`).digest();
}

/** Lengths go first so that no two refs have one text. */
function associated({ scope, keyHash, fingerprint }: IdempotencyRef): string {
  return `${scope.length}:${keyHash.length}:${scope}${keyHash}${fingerprint}`;
}
