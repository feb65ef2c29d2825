/** Chance that a seed repeats: the same seed gives the same faults at the same times. */
export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** From 0, below 1. */
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    isHit: (share) => next() < share,
    pick: (items) => items[Math.floor(next() * items.length)],
  };
}

/** A seed of its own for each part of a run, so that no part changes what another draws. */
export function seedOf(seed, name) {
  let hash = seed >>> 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
