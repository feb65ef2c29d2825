import type { Instant, Mode } from '@gateramp/core/domain';
import {
  readKey,
  type IdempotencyOutcome,
  type IdempotencyRef,
  type IdempotencyWrite,
  type KeyRow,
} from '@gateramp/core/ports';
import { Retention } from '../structures/retention.js';

/** The keys in use, with the replies they were answered with. An expired row counts as absent. */
export class IdempotencyTable {
  private readonly rows = new Map<string, KeyRow>();
  private readonly expiring: Record<Mode, Retention> = { test: new Retention(), live: new Retention() };

  /** The outcome of the key at `now`; null if it is free. */
  read(ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
    return readKey(this.rows.get(rowName(ref)) ?? null, ref, now);
  }

  /** The reason to refuse the write, or null. A `started` row of the same request is expected when a reply is sealed. */
  refusal(write: IdempotencyWrite, now: Instant): IdempotencyOutcome | null {
    const outcome = this.read(write.ref, now);
    return write.kind === 'seal' && outcome?.kind === 'in_progress' ? null : outcome;
  }

  put({ ref, state, expiresAt }: IdempotencyWrite, mode: Mode): void {
    const name = rowName(ref);
    this.rows.set(name, { fingerprint: ref.fingerprint, state, expiresAt });
    // The key is still valid at `expiresAt` itself.
    this.expiring[mode].keep(name, expiresAt + 1);
  }

  reapOne(mode: Mode, now: Instant): 'deleted' | 'kept' | 'none' {
    const name = this.expiring[mode].take(now);
    if (name === null) return 'none';
    const row = this.rows.get(name);
    if (row === undefined || !hasExpired(row, now)) return 'kept';
    this.rows.delete(name);
    return 'deleted';
  }
}

function hasExpired(row: KeyRow, now: Instant): boolean {
  return now > row.expiresAt;
}

function rowName(ref: IdempotencyRef): string {
  return `${ref.scope}\n${ref.keyHash}`;
}
