import type { IdempotencyState } from '../domain/idempotency/idempotency.js';
import type { Instant } from '../domain/instant.js';
import type { IdempotencyOutcome, IdempotencyRef } from './change.js';

/** What a store keeps of a key that was taken. */
export interface KeyRow {
  readonly fingerprint: string;
  readonly state: IdempotencyState;
  readonly expiresAt: Instant;
}

/**
 * What a stored key says to `ref` at `now`; null when it is free. It is good at the very instant it expires, and free a
 * millisecond later.
 */
export function readKey(row: KeyRow | null, ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
  if (row === null || now > row.expiresAt) return null;
  if (row.fingerprint !== ref.fingerprint) return { kind: 'key_mismatch' };
  if (row.state.kind === 'sealed') return { kind: 'replay', reply: row.state.reply };
  return { kind: 'in_progress', resourceId: row.state.resourceId, taskId: row.state.taskId };
}
