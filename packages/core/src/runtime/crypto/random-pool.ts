import { randomFillSync } from 'node:crypto';

/** Gives `count` random bytes, good until the next call: use or copy them at once. */
export type RandomBytes = (count: number) => Buffer;

const POOL_BYTES = 8 * 1024;

/** One call to the system's generator costs as much for 8 KiB as for 12 bytes, so bytes are drawn in bulk. No byte is given out twice. */
export function randomPool(): RandomBytes {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (count > POOL_BYTES) throw new RangeError(`At most ${POOL_BYTES} random bytes at a time.`);
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}
