import assert from 'node:assert/strict';
import type { Instant } from '@gateramp/core/domain';

interface Entry {
  readonly dueAt: Instant | null;
  readonly token: string | null;
  readonly until: Instant;
  readonly claims: number;
}

/** The result of a claim. */
export interface Handed {
  readonly id: string;
  readonly token: string;
  readonly until: Instant;
  readonly claims: number;
}

/** The result of an attempt to end a lease; `dueAt` is the next due time, null for never. */
export interface Ending {
  readonly id: string;
  readonly token: string;
  readonly dueAt: Instant | null;
  readonly accepted: boolean;
}

/** The known holders of work: the reference for the leases of a store. */
export class LeaseBook {
  private entries = new Map<string, Entry>();

  add(id: string, dueAt: Instant): void {
    this.entries.set(id, { dueAt, token: null, until: 0, claims: 0 });
  }

  /** The number of unfinished items. */
  get unfinished(): number {
    return [...this.entries.values()].filter((entry) => entry.dueAt !== null).length;
  }

  /**
   * Claims and endings of one round ran concurrently, so any order of them is valid, and each item had at most one: a claim of a free
   * item, or an ending with its current lease.
   */
  round(handed: readonly Handed[], endings: readonly Ending[], now: Instant): void {
    const before = this.entries;
    this.entries = new Map(before);
    for (const claim of handed) {
      const entry = this.known(before, claim.id);
      assert.ok(entry.dueAt !== null && entry.dueAt <= now, 'work was claimed that is over or not due');
      assert.ok(entry.token === null || entry.until <= now, 'work was claimed under a live lease');
      assert.equal(this.entries.get(claim.id), entry, 'work was claimed twice at once');
      assert.equal(claim.claims, entry.claims + 1, 'a claim is counted once');
      this.entries.set(claim.id, { ...entry, ...claim });
    }
    for (const ending of endings) {
      const entry = this.known(before, ending.id);
      if (!ending.accepted) continue;
      assert.equal(entry.token, ending.token, 'a lease was ended by a token that is not its own');
      assert.equal(this.entries.get(ending.id), entry, 'a lease was ended twice, or after another had taken over');
      this.entries.set(ending.id, { dueAt: ending.dueAt, token: null, until: 0, claims: 0 });
    }
    for (const ending of endings) {
      const untouched = this.entries.get(ending.id) === before.get(ending.id);
      assert.ok(
        !untouched || this.known(before, ending.id).token !== ending.token,
        'the holder of a lease could not end it',
      );
    }
  }

  private known(entries: ReadonlyMap<string, Entry>, id: string): Entry {
    const entry = entries.get(id);
    assert.ok(entry !== undefined, 'work came back that was never committed');
    return entry;
  }
}
