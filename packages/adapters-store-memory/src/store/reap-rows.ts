import type { ReapRequest } from '@gateramp/core/ports';
import type { Tables } from './tables.js';

/**
 * Deletes expired keys and documents first, as they are many, then deliveries that ended and tasks that were done long ago. Reads at most
 * `limit` rows, so a large backlog takes several calls.
 */
export function reapRows(tables: Tables, request: ReapRequest): number {
  let deleted = 0;
  for (let looks = 0; looks < request.limit; looks += 1) {
    const found = reapOne(tables, request);
    if (found === 'none') break;
    if (found === 'deleted') deleted += 1;
  }
  return deleted;
}

function reapOne(
  { idempotency, documents, deliveries, tasks }: Tables,
  { mode, now, keepEnded }: ReapRequest,
): 'deleted' | 'kept' | 'none' {
  const key = idempotency.reapOne(mode, now);
  if (key !== 'none') return key;
  const document = documents.reapOne(mode, now);
  if (document !== 'none') return document;
  const delivery = deliveries.reapOne(mode, now - keepEnded);
  return delivery === 'none' ? tasks.reapOne(mode, now - keepEnded) : delivery;
}
