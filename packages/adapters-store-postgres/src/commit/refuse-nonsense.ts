import { decimal } from '@gateramp/core/domain';
import type { Change } from '@gateramp/core/ports';

/**
 * A change that names a row twice has no one meaning: each write is checked against what stands before the change. That and a move that is
 * no number are bugs of whoever made the change, so they throw instead of answering `stale`.
 */
export function refuseNonsense(change: Change): void {
  refuseRepeats('session', change.sessions, ({ row }) => row.id);
  refuseRepeats('intent', change.intents, ({ row }) => row.id);
  refuseRepeats('transaction', change.transactions, ({ row }) => row.refid);
  refuseRepeats('document', change.documents, ({ row }) => `${row.noun} ${row.id}`);
  refuseRepeats('event', change.events, ({ id }) => id);
  refuseRepeats('place in a session', change.events, ({ id, sessionId, sequence }) =>
    sequence === null ? id : `${sessionId} ${sequence}`,
  );
  refuseRepeats('delivery', change.deliveries, ({ row }) => row.id);
  refuseRepeats('replay', change.replays, ({ id }) => id);
  refuseRepeats('endpoint', change.endpoints, ({ row }) => `${row.partnerId} ${row.mode}`);
  refuseRepeats('task', change.tasks, ({ id }) => id);
  refuseRepeats('finished task', change.finishes, ({ row }) => row.id);
  refuseRepeats('mark', change.once, (mark) => mark);
  for (const { delta, atLeast } of change.counters) decimal.add(delta, atLeast ?? '0');
}

function refuseRepeats<Item>(what: string, items: readonly Item[], nameOf: (item: Item) => string): void {
  if (items.length < 2) return;
  if (new Set(items.map(nameOf)).size < items.length) throw new Error(`A change names one ${what} twice.`);
}
