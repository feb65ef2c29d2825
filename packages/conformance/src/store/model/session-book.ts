import assert from 'node:assert/strict';
import type { GateEvent, Session } from '@gateramp/core/domain';
import type { Change, CommitOutcome } from '@gateramp/core/ports';

/** A change, its result, and the version of its session that it was decided on. */
export interface Committed {
  readonly change: Change;
  readonly outcome: CommitOutcome;
}

interface Life {
  /** Every acknowledged version; the last one must be stored. */
  readonly versions: readonly Session[];
  readonly events: readonly GateEvent[];
}

interface KeyRow {
  readonly fingerprint: string;
  readonly reply: string;
}

/** All acknowledged sessions, events and keys: none may be lost, and no others may exist. */
export class SessionBook {
  readonly lives = new Map<string, Life>();
  private readonly keys = new Map<string, KeyRow>();

  nth(picked: number): Life | undefined {
    const all = [...this.lives.values()];
    return all.length === 0 ? undefined : all[all.length - 1 - (picked % all.length)];
  }

  /** Concurrent creations: each key is taken by one of them, and the others receive its reply. */
  created(round: readonly Committed[]): void {
    for (const [key, rivals] of byKey(round)) {
      const winners = rivals.filter(({ outcome }) => outcome.kind === 'committed');
      if (key === null) assert.equal(winners.length, rivals.length, 'a change without a conflict was refused');
      else this.keyed(key, rivals, winners);
      for (const { change } of winners) this.remember(change);
    }
  }

  /** Concurrent decisions: exactly one on the stored version is committed, and none on an older version. */
  decided(round: readonly Committed[]): void {
    const rounds = groupedBy(round, ({ change }) => change.sessions[0]?.row.id ?? '');
    for (const [id, rivals] of rounds) {
      const current = this.lives.get(id)?.versions.at(-1)?.version;
      const fresh = rivals.filter(({ change }) => change.sessions[0]?.expectedVersion === current);
      const winners = rivals.filter(({ outcome }) => outcome.kind === 'committed');
      assert.equal(
        winners.length,
        fresh.length === 0 ? 0 : 1,
        'of several decisions on one version exactly one is committed',
      );
      assert.ok(
        winners.every((winner) => fresh.includes(winner)),
        'a decision on an old version was committed',
      );
      for (const { outcome } of rivals)
        assert.ok(outcome.kind === 'committed' || outcome.kind === 'stale', outcome.kind);
      for (const { change } of winners) this.remember(change);
    }
  }

  private keyed(key: string, rivals: readonly Committed[], winners: readonly Committed[]): void {
    const former = this.keys.get(key);
    assert.equal(winners.length, former === undefined ? 1 : 0, 'a key is taken once');
    const [winner] = winners;
    const row = former ?? rowOf(winner?.change);
    if (row === null) return;
    this.keys.set(key, row);
    for (const rival of rivals) {
      if (rival === winner) continue;
      const same: boolean = rival.change.idempotency?.ref.fingerprint === row.fingerprint;
      assert.deepEqual(rival.outcome, same ? { kind: 'replay', reply: row.reply } : { kind: 'key_mismatch' });
    }
  }

  private remember({ sessions, events }: Change): void {
    for (const { row } of sessions) {
      const former = this.lives.get(row.id) ?? { versions: [], events: [] };
      this.lives.set(row.id, { versions: [...former.versions, row], events: [...former.events, ...events] });
    }
  }
}

function byKey(round: readonly Committed[]): ReadonlyMap<string | null, readonly Committed[]> {
  return groupedBy(round, ({ change }) =>
    change.idempotency === null ? null : `${change.idempotency.ref.scope} ${change.idempotency.ref.keyHash}`,
  );
}

function rowOf(change: Change | undefined): KeyRow | null {
  const write = change?.idempotency ?? null;
  if (write === null || write.state.kind !== 'sealed') return null;
  return { fingerprint: write.ref.fingerprint, reply: write.state.reply };
}

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
