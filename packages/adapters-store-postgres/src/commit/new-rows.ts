import { deliveryEndpoint, type Delivery, type Session } from '@gateramp/core/domain';
import type { Change } from '@gateramp/core/ports';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import { rowOfDelivery } from '../delivery-row.js';
import { reusableFrom } from './commit-outcomes.js';

/**
 * The columns of each section of `commit_new_rows`, in the order of its parameters. All except
 * `changes` begin with the number of the change.
 */
const SECTIONS = {
  changes: ['text', 'text', 'int8'],
  keys: ['int4', 'text', 'text', 'text', 'text', 'int8'],
  sessions: ['int4', 'text', 'text', 'text', 'text', 'int8', 'json'],
  events: ['int4', 'text', 'text', 'int4', 'text', 'text'],
  deliveries: ['int4', 'bool', 'text', 'text', 'text', 'text', 'json'],
} as const satisfies Record<string, readonly ColumnType[]>;

export const NEW_ROWS_PLACEHOLDERS = Object.values(SECTIONS)
  .flat()
  .map((_, n) => `$${n + 1}`)
  .join(', ');

/** Sections that a create never has. */
const ELSEWHERE = [
  'intents',
  'transactions',
  'documents',
  'once',
  'replays',
  'endpoints',
  'tasks',
  'finishes',
  'counters',
] as const satisfies readonly (keyof Change)[];

/** Whether a change has the form of a create: a reply under a new key, and only new rows with their initial values. */
export function hasNewRowsOnly(change: Change): boolean {
  const { idempotency, sessions, events, deliveries } = change;
  if (sessions.length === 0 || ELSEWHERE.some((name) => change[name].length > 0)) return false;
  if (idempotency !== null && (idempotency.kind !== 'claim' || idempotency.state.kind !== 'sealed')) return false;
  return (
    sessions.every(({ row, expectedVersion }) => expectedVersion === null && isNewSession(row, change)) &&
    events.every(({ createdAt }) => createdAt === change.now) &&
    deliveries.every(({ row }) => isNewDelivery(row, change) && events.some(({ id }) => id === row.eventId))
  );
}

function isNewSession({ version, status, heldSince, createdAt }: Session, { now }: Change): boolean {
  return version === 1 && status === 'open' && heldSince === null && createdAt === now;
}

function isNewDelivery(
  { status, lane, dueAt, claims, leaseToken, parkedAt, createdAt }: Delivery,
  { now }: Change,
): boolean {
  return (
    status === 'pending' &&
    lane === 'first' &&
    dueAt === now &&
    claims === 0 &&
    leaseToken === null &&
    parkedAt === null &&
    createdAt === now
  );
}

type Rows = Record<keyof typeof SECTIONS, Value[][]>;

export function newRowsParameters(changes: readonly Change[]): readonly Buffer[] {
  const rows: Rows = { changes: [], keys: [], sessions: [], events: [], deliveries: [] };
  for (const [nth, change] of changes.entries()) collect(rows, nth + 1, change);
  // Calls that use the same keys lock them in the same order.
  rows.keys.sort(([, , a], [, , b]) => (String(a) < String(b) ? -1 : 1));
  return [
    ...binaryColumns(SECTIONS.changes, rows.changes),
    ...binaryColumns(SECTIONS.keys, rows.keys),
    ...binaryColumns(SECTIONS.sessions, rows.sessions),
    ...binaryColumns(SECTIONS.events, rows.events),
    ...binaryColumns(SECTIONS.deliveries, rows.deliveries),
  ];
}

function collect(into: Rows, m: number, { scope, now, idempotency, sessions, events, deliveries }: Change): void {
  into.changes.push([scope.partnerId, scope.mode, now]);
  if (idempotency?.state.kind === 'sealed') {
    const { ref, state, expiresAt } = idempotency;
    into.keys.push([m, ref.scope, ref.keyHash, ref.fingerprint, state.reply, reusableFrom(expiresAt)]);
  }
  for (const { row } of sessions) {
    const { id, terms, userReference, expiresAt } = row;
    into.sessions.push([m, id, terms.flow, terms.currency, userReference, expiresAt, JSON.stringify(row)]);
  }
  for (const { id, sessionId, sequence, type, body } of events)
    into.events.push([m, id, sessionId, sequence, type, body]);
  for (const { row, when } of deliveries) {
    into.deliveries.push([
      m,
      when === 'always',
      row.id,
      row.eventId,
      row.eventType,
      deliveryEndpoint(row),
      JSON.stringify(rowOfDelivery(row)),
    ]);
  }
}
