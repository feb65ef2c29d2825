import type { Delivery, GateEvent } from '@gateramp/core/domain';
import { refuseRepeats, type Change, type CommitOutcome } from '@gateramp/core/ports';
import type { Tables } from './tables.js';

/**
 * Applies the whole change or nothing. There is no await between the first check and the last write, and everything that can refuse
 * or throw does so before the first write.
 */
export function commitChange(tables: Tables, change: Change): CommitOutcome {
  refuseRepeats(change);
  if (change.consumers !== null && change.consumers < tables.consumers.version) return { kind: 'stale' };
  const refusal = change.idempotency === null ? null : tables.idempotency.refusal(change.idempotency, change.now);
  if (refusal !== null) return refusal;

  const mark = change.once.find((name) => tables.once.has(name));
  if (mark !== undefined) return { kind: 'duplicate', mark };

  const deliveries = wantedDeliveries(tables, change);
  if (!isFresh(tables, change, deliveries)) return { kind: 'stale' };

  const counters = tables.counters.plan(change.counters);
  if (counters.kind === 'insufficient') return counters;

  const announced = deliveries.map((row) => ({ row, event: eventOf(tables, change, row) }));
  write(tables, change);
  for (const { row, event } of announced) tables.deliveries.add(row, event);
  tables.counters.write(counters.values);
  return { kind: 'committed' };
}

function wantedDeliveries(tables: Tables, change: Change): Delivery[] {
  const rows: Delivery[] = [];
  for (const { row, when } of change.deliveries) {
    if (when === 'always' || hasUrl(tables, change)) rows.push(row);
  }
  return rows;
}

function hasUrl(tables: Tables, change: Change): boolean {
  return (tables.partners.endpoint(change.scope)?.url ?? null) !== null;
}

function isFresh(tables: Tables, change: Change, deliveries: readonly Delivery[]): boolean {
  const { scope } = change;
  return (
    change.sessions.every((next) => tables.sessions.accepts(scope, next)) &&
    change.intents.every((next) => tables.intents.accepts(scope, next)) &&
    change.transactions.every((next) => tables.transactions.accepts(scope, next)) &&
    change.documents.every((next) => tables.documents.accepts(scope, next)) &&
    change.events.every((event) => tables.events.accepts(event)) &&
    deliveries.every((row) => !tables.deliveries.has(row.id)) &&
    change.replays.every((row) => tables.deliveries.acceptsReplay(scope, row)) &&
    change.endpoints.every((next) => tables.partners.acceptsEndpoint(scope, next)) &&
    change.tasks.every((row) => !tables.tasks.has(row.id)) &&
    change.finishes.every((finish) => tables.tasks.accepts(finish)) &&
    tables.audit.accepts(change.audit)
  );
}

/** A delivery without an event could never be sent, so it is refused. */
function eventOf(tables: Tables, change: Change, row: Delivery): GateEvent {
  const event = change.events.find(({ id }) => id === row.eventId) ?? tables.events.get(row.eventId);
  if (event === null) throw new Error(`The delivery ${row.id} names an event that does not exist.`);
  return event;
}

function write(tables: Tables, change: Change): void {
  if (change.idempotency !== null) tables.idempotency.put(change.idempotency, change.scope.mode);
  for (const mark of change.once) tables.once.add(mark);
  for (const next of change.sessions) tables.sessions.write(next);
  for (const next of change.intents) tables.intents.write(next);
  for (const next of change.transactions) tables.transactions.write(next);
  for (const next of change.documents) tables.documents.write(next);
  for (const event of change.events) tables.events.add(event);
  for (const row of change.replays) tables.deliveries.replay(row);
  for (const { row } of change.endpoints) tables.partners.saveEndpoint(row);
  for (const row of change.tasks) tables.tasks.put(row, change.now);
  for (const { row } of change.finishes) tables.tasks.put(row, change.now);
  tables.audit.append(change.audit);
}
