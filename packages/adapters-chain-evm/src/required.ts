import type { Place } from './place.js';

/** Confirmations until a deposit counts. */
export function requiredOf({ network }: Place): number {
  return network.depositConfirmations ?? network.confirmations;
}
