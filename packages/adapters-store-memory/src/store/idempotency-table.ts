import type { Instant, Mode } from '@gateramp/core/domain';
import {
  readKey,
  type IdempotencyOutcome,
  type IdempotencyRef,
  type IdempotencyWrite,
  type KeyRow,
} from '@gateramp/core/ports';
import { Retention } from '../structures/retention.js';

/** Who has used a key, and the reply it was answered with. A row past its time is as good as absent. */
export class IdempotencyTable {
  private readonly rows = new Map<string, KeyRow>();
  private readonly expiring: Record<Mode, Retention> = { test: new Retention(), live: new Retention() };

  /** What the key says at `now`; null when it is free. */
  read(ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
    return readKey(this.rows.get(rowName(ref)) ?? null, ref, now);
  }

  /** What forbids the write, or null. A `started` row of the same request is what a seal is for. */
  refusal(write: IdempotencyWrite, now: Instant): IdempotencyOutcome | null {
    const said = this.read(write.ref, now);
    return write.kind === 'seal' && said?.kind === 'in_progress' ? null : said;
  }

  put({ ref, state, expiresAt }: IdempotencyWrite, mode: Mode): void {
    const name = rowName(ref);
    this.rows.set(name, { fingerprint: ref.fingerprint, state, expiresAt });
    // Kept for its last instant too.
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
