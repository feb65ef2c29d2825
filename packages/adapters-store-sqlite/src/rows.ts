import type { Scope, WebhookEndpoint } from '@gateramp/core';
import { deliveryEndpoint, endedAt, freeAt, type Delivery, type Instant, type Task } from '@gateramp/core/domain';
import type { Connection } from './connection.js';

/** Tables whose rows are replaced by whoever knows their version. */
export type VersionedTable = 'sessions' | 'intents' | 'transactions';

/** Each `row` below was written by this file, from the very type it is read as. */
interface RowText {
  readonly row: string;
}

/** A row that was read from a table of its type. */
export function parsed<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

/** The version of the scope's row; null where there is none, and -1, which nobody expects, where it is another's. */
export function versionOf(db: Connection, table: VersionedTable, id: string, scope: Scope): number | null {
  const text = `select partner_id, mode, version from ${table} where id = ?`;
  const [row] = db.all<{ partner_id: string; mode: string; version: number }>(text, id);
  if (row === undefined) return null;
  return row.partner_id === scope.partnerId && row.mode === scope.mode ? row.version : -1;
}

export function hasRow(db: Connection, table: string, column: string, value: string): boolean {
  return db.all(`select 1 from ${table} where ${column} = ?`, value).length > 0;
}

export function putRow(db: Connection, table: VersionedTable, id: string, row: object): void {
  const text = `insert into ${table} (id, row) values (?, ?) on conflict (id) do update set row = excluded.row`;
  db.run(text, id, JSON.stringify(row));
}

export function deliveryById(db: Connection, id: string): Delivery | null {
  return first<Delivery>(db, 'select row from deliveries where id = ?', id);
}

export function putDelivery(db: Connection, row: Delivery): void {
  db.run(
    `insert into deliveries (id, row, endpoint, free_at, ended_at) values (?, ?, ?, ?, ?)
     on conflict (id) do update set row = excluded.row, free_at = excluded.free_at, ended_at = excluded.ended_at`,
    ...[row.id, JSON.stringify(row), deliveryEndpoint(row), freeAt(row), endedAt(row)],
  );
}

export function taskById(db: Connection, id: string): Task | null {
  return first<Task>(db, 'select row from tasks where id = ?', id);
}

/** A task that is done keeps the instant it was, for reaping. */
export function putTask(db: Connection, row: Task, now: Instant): void {
  db.run(
    `insert into tasks (id, row, free_at, done_at) values (?, ?, ?, ?)
     on conflict (id) do update set row = excluded.row, free_at = excluded.free_at, done_at = excluded.done_at`,
    ...[row.id, JSON.stringify(row), freeAt(row), row.status === 'done' ? now : null],
  );
}

export function endpointOf(db: Connection, { partnerId, mode }: Scope): WebhookEndpoint | null {
  return first<WebhookEndpoint>(db, 'select row from endpoints where partner_id = ? and mode = ?', partnerId, mode);
}

export function putEndpoint(db: Connection, row: WebhookEndpoint): void {
  const text = 'insert or replace into endpoints (partner_id, mode, row) values (?, ?, ?)';
  db.run(text, row.partnerId, row.mode, JSON.stringify(row));
}

/** The first row that a query finds, parsed. */
export function first<Row>(db: Connection, text: string, ...values: readonly string[]): Row | null {
  const [row] = db.all<RowText>(text, ...values);
  return row === undefined ? null : parsed<Row>(row);
}
