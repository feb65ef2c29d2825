import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@gateramp/core';
import { decimal, type Decimal, type Delivery, type Instant } from '@gateramp/core/domain';
import {
  readKey,
  refuseRepeats,
  type Change,
  type CommitOutcome,
  type IdempotencyOutcome,
  type IdempotencyRef,
  type IdempotencyWrite,
  type KeyRow,
  type RowWrite,
} from '@gateramp/core/ports';
import { appendAudit } from './audit.js';
import type { Connection } from './connection.js';
import { RollbackWithResult } from './group-commit.js';
import {
  deliveryById,
  deliveryColumns,
  endpointOf,
  eventColumns,
  newDelivery,
  ofScope,
  putEndpoint,
  taskColumns,
} from './rows.js';
import { atItsPlace } from './shown-events.js';
import { insert, put, update, type Columns } from './write-row.js';

/**
 * Writes the whole change or nothing. The transaction excludes other writers, and each row is written only in the state that the change was
 * decided on: the first mismatch rolls back everything written before it.
 */
export function commitChange(db: Connection, change: Change): CommitOutcome {
  refuseRepeats(change);
  const { scope, now, idempotency } = change;
  if (change.consumers !== null && change.consumers < consumersVersion(db)) return { kind: 'stale' };
  const outcome = idempotency === null ? null : takeKey(db, scope, idempotency, now);
  if (outcome !== null) return outcome;
  for (const mark of change.once)
    if (!insert(db, 'once_marks', { mark })) throw new RollbackWithResult<CommitOutcome>({ kind: 'duplicate', mark });
  if (!areWritten(db, change)) throw new RollbackWithResult<CommitOutcome>({ kind: 'stale' });
  for (const { name, delta, atLeast } of change.counters) {
    const value = decimal.add(readCounter(db, name), delta);
    if (atLeast !== null && decimal.compare(value, atLeast) < 0)
      throw new RollbackWithResult<CommitOutcome>({ kind: 'insufficient', counter: name });
    put(db, 'counters', { name }, { value });
  }
  return { kind: 'committed' };
}

/** Whether every row was in the state that the change was decided on. */
function areWritten(db: Connection, change: Change): boolean {
  const { scope, now } = change;
  const versioned = <Row extends object>(
    table: string,
    key: Columns,
    { row, expectedVersion }: RowWrite<Row>,
  ): boolean =>
    expectedVersion === null
      ? insert(db, table, { ...key, row: JSON.stringify(row) })
      : update(db, table, { row: JSON.stringify(row) }, { ...key, ...ofScope(scope), version: expectedVersion });
  return (
    change.sessions.every((write) => versioned('sessions', { id: write.row.id }, write)) &&
    change.intents.every((write) => versioned('intents', { id: write.row.id }, write)) &&
    change.transactions.every((write) => versioned('transactions', { id: write.row.refid }, write)) &&
    change.documents.every((write) => {
      const { noun, id } = write.row;
      return versioned('documents', { ...ofScope(scope), noun, id }, write);
    }) &&
    change.events.every((event) => insert(db, 'events', eventColumns(atItsPlace(db, event)))) &&
    wantedDeliveries(db, change).every((row) => insert(db, 'deliveries', newDelivery(row))) &&
    change.replays.every(
      (row) => isReplayable(db, scope, row) && update(db, 'deliveries', deliveryColumns(row), { id: row.id }),
    ) &&
    change.endpoints.every(({ row, expected }) => {
      if (!isOf(row, scope) || !isDeepStrictEqual(endpointOf(db, scope), expected)) return false;
      putEndpoint(db, row);
      return true;
    }) &&
    change.tasks.every((row) => insert(db, 'tasks', { id: row.id, ...taskColumns(row, now) })) &&
    change.finishes.every(({ row, leaseToken }) =>
      update(db, 'tasks', taskColumns(row, now), { id: row.id, lease_token: leaseToken }),
    ) &&
    appendAudit(db, change.audit)
  );
}

function wantedDeliveries(db: Connection, { scope, deliveries, events }: Change): readonly Delivery[] {
  const hasUrl = deliveries.some(({ when }) => when !== 'always') && (endpointOf(db, scope)?.url ?? null) !== null;
  const wanted = deliveries.filter(({ when }) => when === 'always' || hasUrl).map(({ row }) => row);
  // A delivery without an event could never be sent, so it is refused.
  for (const { id, eventId } of wanted)
    if (
      !events.some((event) => event.id === eventId) &&
      db.all('select 1 from events where id = ?', eventId).length === 0
    )
      throw new Error(`The delivery ${id} names an event that does not exist.`);
  return wanted;
}

function isReplayable(db: Connection, scope: Scope, row: Delivery): boolean {
  const stored = deliveryById(db, row.id);
  if (stored === null || !isOf(stored, scope)) return false;
  return stored.status === 'dead_lettered' && stored.replayCount === row.replayCount - 1;
}

/** Takes the key for the change; returns the outcome for the caller if it is already taken. */
function takeKey(
  db: Connection,
  { mode }: Scope,
  { kind, ref, state, expiresAt }: IdempotencyWrite,
  now: Instant,
): IdempotencyOutcome | null {
  const key = { scope: ref.scope, key_hash: ref.keyHash };
  const columns = { mode, fingerprint: ref.fingerprint, state: JSON.stringify(state), expires_at: expiresAt };
  if (insert(db, 'idempotency_keys', { ...key, ...columns })) return null;
  const outcome = readReply(db, ref, now);
  if (outcome !== null && !(kind === 'seal' && outcome.kind === 'in_progress')) return outcome;
  put(db, 'idempotency_keys', key, columns);
  return null;
}

/** The outcome of the key at `now`; null if it is free. */
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

export function readCounter(db: Connection, name: string): Decimal {
  return db.all<{ value: Decimal }>('select value from counters where name = ?', name)[0]?.value ?? '0';
}

export function consumersVersion(db: Connection): number {
  return db.all<{ latest: number }>('select coalesce(max(version), 0) as latest from consumers')[0]?.latest ?? 0;
}

function isOf(row: Scope, scope: Scope): boolean {
  return row.partnerId === scope.partnerId && row.mode === scope.mode;
}
