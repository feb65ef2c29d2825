import { createHash } from 'node:crypto';
import type { Ids } from '../../ports/edge.js';
import type { RandomBytes } from '../crypto/random-pool.js';
import { idsFrom } from './ids-from.js';

/** For tests: the same seed gives the same ids in the same order, shaped and ordered like real ones. Never for secrets that matter. */
export function seededIds(seed: string | number): Ids {
  return idsFrom(seededBytes(String(seed)));
}

/** SHA-256 of the seed and a count, as one long stream. */
function seededBytes(seed: string): RandomBytes {
  let block = 0;
  let rest: Buffer = Buffer.alloc(0);
  return (count) => {
    while (rest.length < count) {
      rest = Buffer.concat([rest, createHash('sha256').update(`${block}:${seed}`).digest()]);
      block += 1;
    }
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
}
