import type { Gate, Mode } from '@gateramp/core';
import type { Change, Store } from '@gateramp/core/ports';

/** A row whose commit was acknowledged to its caller. */
export interface Acknowledged {
  readonly noun: 'session' | 'intent' | 'transaction';
  readonly partnerId: string;
  readonly mode: Mode;
  readonly id: string;
  readonly version: number;
  /** The wall time of this process, in epoch milliseconds. */
  readonly at: number;
}

/** The end of the audit trail, as it was seen. */
export type SeenHead = NonNullable<Awaited<ReturnType<Gate['admin']['audit']['compare']>>['head']>;

/** The number of recorded rows. A restore loses the newest rows first, so a few are enough to detect it. */
export const TOLD_MAX = 1_000;
const LOOK_UPS_AT_ONCE = 8;

export function acknowledgedBy(
  { scope, sessions, intents, transactions }: Change,
  at: number,
): readonly Acknowledged[] {
  return [
    ...sessions.map(({ row }) => ({ noun: 'session' as const, ...scope, id: row.id, version: row.version, at })),
    ...intents.map(({ row }) => ({ noun: 'intent' as const, ...scope, id: row.id, version: row.version, at })),
    ...transactions.map(({ row }) => ({
      noun: 'transaction' as const,
      ...scope,
      id: row.refid,
      version: row.version,
      at,
    })),
  ];
}

/** The newest version of each row, the last acknowledged at the end, at most `TOLD_MAX`. */
export function newest(all: readonly Acknowledged[]): readonly Acknowledged[] {
  const rows = new Map<string, Acknowledged>();
  for (const row of [...all].sort((one, other) => one.at - other.at)) {
    const key = `${row.noun} ${row.id}`;
    const known = rows.get(key);
    rows.delete(key);
    rows.set(key, known !== undefined && known.version > row.version ? known : row);
  }
  return [...rows.values()].slice(-TOLD_MAX);
}

/** The rows that the store lacks, or has in an earlier version. */
export async function missingIn(store: Store, all: readonly Acknowledged[]): Promise<readonly Acknowledged[]> {
  const missing: Acknowledged[] = [];
  for (let from = 0; from < all.length; from += LOOK_UPS_AT_ONCE) {
    const some = all.slice(from, from + LOOK_UPS_AT_ONCE);
    const versions = await Promise.all(some.map((row) => versionIn(store, row)));
    missing.push(...some.filter(({ version }, nth) => (versions[nth] ?? 0) < version));
  }
  return missing;
}

/** 0 for a missing row. */
async function versionIn(store: Store, { noun, partnerId, mode, id }: Acknowledged): Promise<number> {
  const row = await store.find(noun, { partnerId, mode }, id);
  return row?.version ?? 0;
}
