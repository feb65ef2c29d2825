export interface Chance {
  /** At least 0, less than 1. */
  readonly next: () => number;
  readonly between: (low: number, high: number) => number;
  readonly isHit: (share: number) => boolean;
  /** One of a list that is not empty. */
  readonly pick: <T>(items: readonly T[]) => T;
}

/** Repeatable randomness: the same seed gives the same faults at the same times. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    isHit: (share) => next() < share,
    pick: (items) => {
      const [item] = items.slice(Math.floor(next() * items.length));
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
  };
}

/** A separate seed for each part of a run, so that no part affects another. */
export function seedOf(seed: number, name: string): number {
  let hash = seed >>> 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
