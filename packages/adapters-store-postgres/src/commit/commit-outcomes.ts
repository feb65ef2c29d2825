import type { Instant } from '@gateramp/core/domain';
import {
  type Change,
  type CommitOutcome,
  type IdempotencyOutcome,
  type IdempotencyRef,
  type KeyRow,
  readKey,
} from '@gateramp/core/ports';

/** The answer of the function about refused changes; null if there are none. */
export type CommitAnswer = Refusals | { readonly undone: string } | null;

interface Refusals {
  /** The numbers of all changes that were not written. */
  readonly refused: readonly number[];
  readonly stale: readonly number[];
  readonly duplicates: readonly { readonly m: number; readonly mark: string }[] | null;
  readonly insufficient: readonly { readonly m: number; readonly counter: string }[] | null;
  /** For each change that did not get its key: the row that holds it, if there is one. */
  readonly keys: readonly ({ readonly m: number } & KeyColumns)[] | null;
}

interface KeyColumns {
  readonly fingerprint: string;
  readonly reply: string | null;
  readonly resourceId: string | null;
  readonly taskId: string | null;
  /** As stored: see `reusableFrom`. */
  readonly expiresAt: Instant;
}

/** The outcome of each change; null if the conflicting row has already gone and the change must be retried. */
export function commitOutcomes(changes: readonly Change[], answer: Refusals | null): readonly (CommitOutcome | null)[] {
  if (answer === null) return changes.map(() => ({ kind: 'committed' }));
  return changes.map((change, m) => (answer.refused.includes(m) ? refusal(change, m, answer) : { kind: 'committed' }));
}

/** Checked in the order of the port: key, marks, versions and leases, counters. */
function refusal({ idempotency, now }: Change, m: number, answer: Refusals): CommitOutcome | null {
  const row = answer.keys?.find((key) => key.m === m) ?? null;
  if (idempotency !== null && row !== null) {
    const outcome = keyOutcome(row, idempotency.ref, now);
    if (outcome !== null && !(idempotency.kind === 'seal' && outcome.kind === 'in_progress')) return outcome;
  }
  const duplicate = answer.duplicates?.find((each) => each.m === m);
  if (duplicate !== undefined) return { kind: 'duplicate', mark: duplicate.mark };
  if (answer.stale.includes(m)) return { kind: 'stale' };
  const short = answer.insufficient?.find((each) => each.m === m);
  return short === undefined ? null : { kind: 'insufficient', counter: short.counter };
}

/** The outcome of a stored key at `now`; null if it has expired. */
export function keyOutcome(row: KeyColumns, ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
  const { fingerprint, reply, resourceId, taskId } = row;
  const state: KeyRow['state'] =
    reply === null
      ? { kind: 'started', resourceId: resourceId ?? '', taskId: taskId ?? '' }
      : { kind: 'sealed', reply };
  return readKey({ fingerprint, state, expiresAt: validUntil(row.expiresAt) }, ref, now);
}

/**
 * A key is valid through the instant of its expiry. Its row holds the first instant at which it is free: the value
 * that statements and the index compare with.
 */
export function reusableFrom(expiresAt: Instant): Instant {
  return expiresAt + 1;
}

/** The last instant at which the key of a stored row is valid. */
function validUntil(storedExpiry: Instant): Instant {
  return storedExpiry - 1;
}
