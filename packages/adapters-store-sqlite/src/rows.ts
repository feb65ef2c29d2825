import type { Scope, WebhookEndpoint } from '@gateramp/core';
import {
  deliveryEndpoint,
  endedAt,
  freeAt,
  type Delivery,
  type GateEvent,
  type Instant,
  type Task,
} from '@gateramp/core/domain';
import type { Connection } from './connection.js';
import { put, type Columns } from './write-row.js';

/** Each `row` below was written by this package, from the type that it is read as. */
interface RowText {
  readonly row: string;
}

/** Parses a row of a table of its type. */
export function parsed<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

/** Returns the parsed row with these values. */
export function find<Row>(db: Connection, table: string, where: Columns): Row | null {
  const conditions = Object.keys(where).map((name) => `${name} = ?`);
  const [row] = db.all<RowText>(`select row from ${table} where ${conditions.join(' and ')}`, ...Object.values(where));
  return row === undefined ? null : parsed<Row>(row);
}

export function ofScope({ partnerId, mode }: Scope): { readonly partner_id: string; readonly mode: string } {
  return { partner_id: partnerId, mode };
}

export function deliveryById(db: Connection, id: string): Delivery | null {
  return find<Delivery>(db, 'deliveries', { id });
}

/** The columns of a delivery that may change; its endpoint is constant. */
export function deliveryColumns(row: Delivery): Columns {
  return { row: JSON.stringify(row), free_at: freeAt(row), ended_at: endedAt(row) };
}

export function newDelivery(row: Delivery): Columns {
  return { id: row.id, endpoint: deliveryEndpoint(row), ...deliveryColumns(row) };
}

export function taskById(db: Connection, id: string): Task | null {
  return find<Task>(db, 'tasks', { id });
}

/** The instant at which a task was done is kept, for reaping. */
export function taskColumns(row: Task, now: Instant): Columns {
  return { row: JSON.stringify(row), free_at: freeAt(row), done_at: row.status === 'done' ? now : null };
}

export function eventColumns({ id, sessionId, sequence, type, createdAt, body, ...scope }: GateEvent): Columns {
  return { id, ...ofScope(scope), session_id: sessionId, sequence, type, created_at: createdAt, body };
}

export function endpointOf(db: Connection, scope: Scope): WebhookEndpoint | null {
  return find<WebhookEndpoint>(db, 'endpoints', ofScope(scope));
}

export function putEndpoint(db: Connection, row: WebhookEndpoint): void {
  put(db, 'endpoints', ofScope(row), { row: JSON.stringify(row) });
}
