import type { Instant, Mode } from '@gateramp/core';
import type { Tables } from './tables.js';

/**
 * Expired keys first, as they are many, then deliveries that ended and tasks that were done long
 * ago. Looks at no more than `limit` rows, so a large backlog is worked off over several calls.
 */
export function reapRows(tables: Tables, mode: Mode, now: Instant, limit: number): number {
  let deleted = 0;
  for (let looks = 0; looks < limit; looks += 1) {
    const found = reapOne(tables, mode, now);
    if (found === 'none') break;
    if (found === 'deleted') deleted += 1;
  }
  return deleted;
}

function reapOne(tables: Tables, mode: Mode, now: Instant): 'deleted' | 'kept' | 'none' {
  for (const table of [tables.idempotency, tables.deliveries, tables.tasks]) {
    const found = table.reapOne(mode, now);
    if (found !== 'none') return found;
  }
  return 'none';
}
