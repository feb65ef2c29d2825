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

/** Each `row` below was written by this package, from the very type it is read as. */
interface RowText {
  readonly row: string;
}

/** A row that was read from a table of its type. */
export function parsed<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

/** The first row that a query finds, parsed. */
export function first<Row>(db: Connection, text: string, ...values: readonly string[]): Row | null {
  const [row] = db.all<RowText>(text, ...values);
  return row === undefined ? null : parsed<Row>(row);
}

export function ofScope({ partnerId, mode }: Scope): { readonly partner_id: string; readonly mode: string } {
  return { partner_id: partnerId, mode };
}

export function deliveryById(db: Connection, id: string): Delivery | null {
  return first<Delivery>(db, 'select row from deliveries where id = ?', id);
}

/** What of a delivery may change; its endpoint stays. */
export function deliveryColumns(row: Delivery): Columns {
  return { row: JSON.stringify(row), free_at: freeAt(row), ended_at: endedAt(row) };
}

export function newDelivery(row: Delivery): Columns {
  return { id: row.id, endpoint: deliveryEndpoint(row), ...deliveryColumns(row) };
}

export function taskById(db: Connection, id: string): Task | null {
  return first<Task>(db, 'select row from tasks where id = ?', id);
}

/** A task that is done keeps the instant it was, for reaping. */
export function taskColumns(row: Task, now: Instant): Columns {
  return { row: JSON.stringify(row), free_at: freeAt(row), done_at: row.status === 'done' ? now : null };
}

export function eventColumns({ id, sessionId, sequence, type, createdAt, body, ...scope }: GateEvent): Columns {
  return { id, ...ofScope(scope), session_id: sessionId, sequence, type, created_at: createdAt, body };
}

export function endpointOf(db: Connection, { partnerId, mode }: Scope): WebhookEndpoint | null {
  return first<WebhookEndpoint>(db, 'select row from endpoints where partner_id = ? and mode = ?', partnerId, mode);
}

export function putEndpoint(db: Connection, row: WebhookEndpoint): void {
  put(db, 'endpoints', ofScope(row), { row: JSON.stringify(row) });
}
