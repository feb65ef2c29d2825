import type { Connection, Value } from './connection.js';

/** What a row is written as, or found by. */
export type Columns = Readonly<Record<string, Value>>;

/** False, and nothing is written, when a row is there already that may not be twice. */
export function insert(db: Connection, table: string, columns: Columns): boolean {
  return db.run(`${insertion(table, columns)} on conflict do nothing`, ...Object.values(columns)) > 0;
}

/** False when no row is as `where` says. */
export function update(db: Connection, table: string, columns: Columns, where: Columns): boolean {
  const set = Object.keys(columns).map((name) => `${name} = ?`);
  const asked = Object.keys(where).map((name) => `${name} = ?`);
  const text = `update ${table} set ${set.join(', ')} where ${asked.join(' and ')}`;
  return db.run(text, ...Object.values(columns), ...Object.values(where)) > 0;
}

/** In the place of the row of that key, if there is one. */
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
