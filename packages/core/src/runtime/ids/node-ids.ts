import type { Ids } from '../../ports/edge.js';
import { randomPool } from '../crypto/random-pool.js';
import { idsFrom } from './ids-from.js';

/** Ids from the system's generator, drawn from it in bulk. */
export function nodeIds(): Ids {
  return idsFrom(randomPool());
}
