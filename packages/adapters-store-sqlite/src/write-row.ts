import type { Connection, Value } from './connection.js';

/** The columns that a row is written with, or found by. */
export type Columns = Readonly<Record<string, Value>>;

/** Returns false, without writing, if a row with the same key exists. */
export function insert(db: Connection, table: string, columns: Columns): boolean {
  return db.run(`${insertion(table, columns)} on conflict do nothing`, ...Object.values(columns)) > 0;
}

/** Returns false if no row matches `where`. */
export function update(db: Connection, table: string, columns: Columns, where: Columns): boolean {
  const set = Object.keys(columns).map((name) => `${name} = ?`);
  const conditions = Object.keys(where).map((name) => `${name} = ?`);
  const text = `update ${table} set ${set.join(', ')} where ${conditions.join(' and ')}`;
  return db.run(text, ...Object.values(columns), ...Object.values(where)) > 0;
}

/** Inserts the row, or replaces the row with that key. */
export function put(db: Connection, table: string, key: Columns, columns: Columns): void {
  const whole = { ...key, ...columns };
  const set = Object.keys(columns).map((name) => `${name} = excluded.${name}`);
  const onConflict = `on conflict (${Object.keys(key).join(', ')}) do update set ${set.join(', ')}`;
  db.run(`${insertion(table, whole)} ${onConflict}`, ...Object.values(whole));
}

function insertion(table: string, columns: Columns): string {
  const names = Object.keys(columns);
  return `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
}
