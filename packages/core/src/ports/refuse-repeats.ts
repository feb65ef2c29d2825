import type { Change } from './change.js';

/**
 * Every store calls this before it commits. A change that names a row twice has no one meaning: each write is checked against the state
 * before the change. That is a bug of its maker, so it throws an `Error` instead of answering `stale`.
 */
export function refuseRepeats(change: Change): void {
  refuse('session', change.sessions, ({ row }) => row.id);
  refuse('intent', change.intents, ({ row }) => row.id);
  refuse('transaction', change.transactions, ({ row }) => row.refid);
  refuse('document', change.documents, ({ row }) => `${row.noun} ${row.id}`);
  refuse('event', change.events, ({ id }) => id);
  refuse('place in a session', change.events, ({ id, sessionId, sequence }) =>
    sequence === null ? id : `${sessionId} ${sequence}`,
  );
  refuse('delivery', change.deliveries, ({ row }) => row.id);
  refuse('replay', change.replays, ({ id }) => id);
  refuse('endpoint', change.endpoints, ({ row }) => `${row.partnerId} ${row.mode}`);
  refuse('task', change.tasks, ({ id }) => id);
  refuse('finished task', change.finishes, ({ row }) => row.id);
  refuse('mark', change.once, (mark) => mark);
}

function refuse<Item>(what: string, items: readonly Item[], nameOf: (item: Item) => string): void {
  if (items.length < 2) return;
  if (new Set(items.map(nameOf)).size < items.length) throw new Error(`A change names one ${what} twice.`);
}
