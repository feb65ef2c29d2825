import type { Place } from './place.js';

/** The confirmations that a deposit needs to be credited. */
export function requiredOf({ network }: Place): number {
  return network.depositConfirmations ?? network.confirmations;
}
