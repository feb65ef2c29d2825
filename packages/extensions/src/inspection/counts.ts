import type { CountersOfEach, CreatedWithin, StoreCounts, StoreReads } from '@gateramp/core/ports';

/** Counts stop here, so that an overview ends however much a partner sells. */
export const COUNTED_MAX = 1_000_000;

/** At most `COUNTED_MAX`; `more`: there may be more than were counted. */
export interface Counted {
  readonly count: number;
  readonly more: boolean;
}

/** Limits a number to `COUNTED_MAX`. */
export function counted(rows: number): Counted {
  return { count: Math.min(rows, COUNTED_MAX), more: rows > COUNTED_MAX };
}

/** Adds counts. */
export function together(counts: readonly Counted[]): Counted {
  const { count, more } = counted(counts.reduce((sum, one) => sum + one.count, 0));
  return { count, more: more || counts.some((one) => one.more) };
}

/** The counts of a store, made from its lists if it has none of its own. */
export function countsOf(store: StoreReads): StoreCounts {
  if (store.counts !== undefined) return store.counts;
  const each: CountersOfEach = {
    session: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => store.list('session', scope, { ...filter, ...bounds }, ...rest)),
    delivery: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => store.list('delivery', scope, { ...filter, ...bounds }, ...rest)),
  };
  return {
    count: async (noun, ...query) => (await store.list(noun, ...query)).length,
    countEach: (noun, ...args) => each[noun](...args),
  };
}

async function inTurn(
  times: readonly CreatedWithin[],
  list: (bounds: CreatedWithin) => Promise<readonly unknown[]>,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const bounds of times) counts.push((await list(bounds)).length);
  return counts;
}
