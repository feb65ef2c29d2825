import type { Instant } from '../../domain/instant.js';
import type { RandomBytes } from '../crypto/random-pool.js';

const STEP_BYTES = 3;

/**
 * The random part of a time-ordered id, below `2 ** bits`. Within one millisecond each tail is higher than the one before,
 * so id order is creation order even on a clock that stands still. A new millisecond starts in the lower half:
 * that leaves room for 16 million ids a millisecond in 48 bits, after which it starts over rather than fail.
 */
export function risingTail(bits: 48 | 52, random: RandomBytes): (now: Instant) => number {
  const limit = 2 ** bits;
  let at: Instant | null = null;
  let tail = 0;
  return (now) => {
    const next = tail + 1 + random(STEP_BYTES).readUIntBE(0, STEP_BYTES);
    tail = now === at && next < limit ? next : start(bits, random);
    at = now;
    return tail;
  };
}

/** Uniform below `2 ** (bits - 1)`; two reads, because one reads at most 48 bits. */
function start(bits: 48 | 52, random: RandomBytes): number {
  const bytes = random(7);
  const high = bytes.readUIntBE(0, 3) % 2 ** (bits - 1 - 32);
  return high * 2 ** 32 + bytes.readUInt32BE(3);
}
