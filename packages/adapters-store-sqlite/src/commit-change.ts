import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@gateramp/core';
import { decimal, type Decimal, type Delivery } from '@gateramp/core/domain';
import {
  readKey,
  refuseRepeats,
  type Change,
  type CommitOutcome,
  type IdempotencyOutcome,
  type IdempotencyRef,
  type KeyRow,
} from '@gateramp/core/ports';
import type { Instant } from '@gateramp/core/domain';
import type { Connection } from './connection.js';
import {
  deliveryById,
  endpointOf,
  hasRow,
  putDelivery,
  putEndpoint,
  putRow,
  putTask,
  taskById,
  versionOf,
} from './rows.js';

/** All of the change or nothing: whatever can refuse does so before the first write, and the transaction keeps others out. */
export function commitChange(db: Connection, change: Change): CommitOutcome {
  refuseRepeats(change);
  const { scope, now, idempotency } = change;
  if (change.consumers !== null && change.consumers < consumersVersion(db)) return { kind: 'stale' };
  if (idempotency !== null) {
    const said = readReply(db, idempotency.ref, now);
    if (said !== null && !(idempotency.kind === 'seal' && said.kind === 'in_progress')) return said;
  }
  const mark = change.once.find((name) => hasRow(db, 'once_marks', 'mark', name));
  if (mark !== undefined) return { kind: 'duplicate', mark };

  const hasUrl =
    change.deliveries.some(({ when }) => when !== 'always') && (endpointOf(db, scope)?.url ?? null) !== null;
  const deliveries = change.deliveries.filter(({ when }) => when === 'always' || hasUrl).map(({ row }) => row);
  if (!isFresh(db, change, deliveries)) return { kind: 'stale' };

  const counters = plannedCounters(db, change.counters);
  if ('insufficient' in counters) return { kind: 'insufficient', counter: counters.insufficient };
  write(db, change, deliveries, counters.values);
  return { kind: 'committed' };
}

function isFresh(db: Connection, change: Change, deliveries: readonly Delivery[]): boolean {
  const { scope } = change;
  return (
    change.sessions.every(({ row, expectedVersion }) => versionOf(db, 'sessions', row.id, scope) === expectedVersion) &&
    change.intents.every(({ row, expectedVersion }) => versionOf(db, 'intents', row.id, scope) === expectedVersion) &&
    change.transactions.every(
      ({ row, expectedVersion }) => versionOf(db, 'transactions', row.refid, scope) === expectedVersion,
    ) &&
    change.documents.every(
      ({ row, expectedVersion }) => documentVersion(db, scope, row.noun, row.id) === expectedVersion,
    ) &&
    change.events.every(
      ({ id, sessionId, sequence }) => !hasRow(db, 'events', 'id', id) && !hasPlace(db, sessionId, sequence),
    ) &&
    deliveries.every(({ id }) => !hasRow(db, 'deliveries', 'id', id)) &&
    change.replays.every((row) => {
      const stored = deliveryById(db, row.id);
      return stored !== null && isOf(stored, scope) && isReplayable(stored, row);
    }) &&
    change.endpoints.every(
      ({ row, expected }) => isOf(row, scope) && isDeepStrictEqual(endpointOf(db, scope), expected),
    ) &&
    change.tasks.every(({ id }) => !hasRow(db, 'tasks', 'id', id)) &&
    change.finishes.every(({ row, leaseToken }) => taskById(db, row.id)?.leaseToken === leaseToken)
  );
}

function isReplayable(stored: Delivery, row: Delivery): boolean {
  return stored.status === 'dead_lettered' && stored.replayCount === row.replayCount - 1;
}

function write(
  db: Connection,
  change: Change,
  deliveries: readonly Delivery[],
  counters: ReadonlyMap<string, Decimal>,
): void {
  const { idempotency, scope, now } = change;
  if (idempotency !== null) {
    const { ref, state, expiresAt } = idempotency;
    db.run(
      'insert or replace into idempotency_keys (scope, key_hash, mode, fingerprint, state, expires_at) values (?, ?, ?, ?, ?, ?)',
      ...[ref.scope, ref.keyHash, scope.mode, ref.fingerprint, JSON.stringify(state), expiresAt],
    );
  }
  for (const mark of change.once) db.run('insert into once_marks (mark) values (?)', mark);
  for (const { row } of change.sessions) putRow(db, 'sessions', row.id, row);
  for (const { row } of change.intents) putRow(db, 'intents', row.id, row);
  for (const { row } of change.transactions) putRow(db, 'transactions', row.refid, row);
  for (const { row } of change.documents)
    db.run(
      'insert or replace into documents (partner_id, mode, noun, id, row) values (?, ?, ?, ?, ?)',
      ...[scope.partnerId, scope.mode, row.noun, row.id, JSON.stringify(row)],
    );
  for (const event of change.events)
    db.run(
      'insert into events (id, partner_id, mode, session_id, sequence, type, created_at, body) values (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[event.id, event.partnerId, event.mode, event.sessionId, event.sequence],
      ...[event.type, event.createdAt, event.body],
    );
  for (const row of deliveries) {
    // A delivery without an event could never be sent, so it is not let in.
    if (!hasRow(db, 'events', 'id', row.eventId))
      throw new Error(`The delivery ${row.id} names an event that does not exist.`);
    putDelivery(db, row);
  }
  for (const row of change.replays) putDelivery(db, row);
  for (const { row } of change.endpoints) putEndpoint(db, row);
  for (const row of change.tasks) putTask(db, row, now);
  for (const { row } of change.finishes) putTask(db, row, now);
  for (const [name, value] of counters)
    db.run('insert or replace into counters (name, value) values (?, ?)', name, value);
}

/** The values after the moves, each guarded where it stands; or the first counter that cannot afford its own. */
function plannedCounters(
  db: Connection,
  moves: Change['counters'],
): { readonly values: ReadonlyMap<string, Decimal> } | { readonly insufficient: string } {
  const values = new Map<string, Decimal>();
  for (const { name, delta, atLeast } of moves) {
    const next = decimal.add(values.get(name) ?? readCounter(db, name), delta);
    if (atLeast !== null && decimal.compare(next, atLeast) < 0) return { insufficient: name };
    values.set(name, next);
  }
  return { values };
}

export function readCounter(db: Connection, name: string): Decimal {
  return db.all<{ value: Decimal }>('select value from counters where name = ?', name)[0]?.value ?? '0';
}

/** What the key says at `now`; null when it is free. */
export function readReply(db: Connection, ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
  const [row] = db.all<{ fingerprint: string; state: string; expires_at: number }>(
    'select fingerprint, state, expires_at from idempotency_keys where scope = ? and key_hash = ?',
    ...[ref.scope, ref.keyHash],
  );
  if (row === undefined) return null;
  // Written above from a state.
  const state = JSON.parse(row.state) as KeyRow['state'];
  return readKey({ fingerprint: row.fingerprint, state, expiresAt: row.expires_at }, ref, now);
}

export function consumersVersion(db: Connection): number {
  return db.all<{ latest: number }>('select coalesce(max(version), 0) as latest from consumers')[0]?.latest ?? 0;
}

function documentVersion(db: Connection, { partnerId, mode }: Scope, noun: string, id: string): number | null {
  const text = 'select version from documents where partner_id = ? and mode = ? and noun = ? and id = ?';
  return db.all<{ version: number }>(text, partnerId, mode, noun, id)[0]?.version ?? null;
}

function hasPlace(db: Connection, sessionId: string | null, sequence: number | null): boolean {
  if (sessionId === null || sequence === null) return false;
  return db.all('select 1 from events where session_id = ? and sequence = ?', sessionId, sequence).length > 0;
}

function isOf(row: Scope, scope: Scope): boolean {
  return row.partnerId === scope.partnerId && row.mode === scope.mode;
}
