import { decimal } from '@gateramp/core/domain';
import { type Change, refuseRepeats } from '@gateramp/core/ports';

/** Throws for a row that is named twice, and for a move that is not a number: bugs of the code that made the change, never `stale`. */
export function assertValidChange(change: Change): void {
  refuseRepeats(change);
  for (const { delta, atLeast } of change.counters) decimal.add(delta, atLeast ?? '0');
}
