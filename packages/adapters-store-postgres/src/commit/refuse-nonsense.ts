import { decimal } from '@gateramp/core/domain';
import { refuseRepeats, type Change } from '@gateramp/core/ports';

/** Throws for a row that is named twice, and for a move that is not a number: bugs of whoever made the change, never `stale`. */
export function refuseNonsense(change: Change): void {
  refuseRepeats(change);
  for (const { delta, atLeast } of change.counters) decimal.add(delta, atLeast ?? '0');
}
