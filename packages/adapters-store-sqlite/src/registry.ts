import { InstallationError, type ConsumerStore, type Settings } from '@gateramp/core/ports';
import { writeAudited } from './audit.js';
import { consumersVersion } from './commit-change.js';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { put } from './write-row.js';

interface ConsumerRow {
  readonly name: string;
  readonly type: string;
  readonly is_removed: number;
}

/** The in-process consumers of all processes. Every change increments the version. */
export function consumers(database: SqliteDatabase): ConsumerStore {
  const { connection, write } = database;
  return {
    readConsumers: async () => {
      const db = connection();
      const version = consumersVersion(db);
      const rows = db.all<ConsumerRow>('select name, type, is_removed from consumers order by name, type');
      return {
        version,
        consumers: rows.map(({ name, type, is_removed: isRemoved }) => ({ name, type, isRemoved: isRemoved === 1 })),
      };
    },
    registerConsumers: (names) =>
      write((db) => {
        for (const { name, type } of names)
          db.run(
            `insert into consumers (name, type, is_removed, version) values (?, ?, 0, ?)
             on conflict (name, type) do update set is_removed = 0, version = excluded.version where is_removed = 1`,
            ...[name, type, consumersVersion(db) + 1],
          );
      }),
    removeConsumer: (name, audit = null) =>
      writeAudited(database, audit, 'removed', (db) => {
        const text = 'update consumers set is_removed = 1, version = ? where name = ? and is_removed = 0';
        db.run(text, consumersVersion(db) + 1, name);
      }),
  };
}

/** The initial setting of an installation. A new value would invalidate all rows that were created with the old one. */
const FIRST = 'pepper';

function isInUse(db: Connection): boolean {
  return ['sessions', 'idempotency_keys'].some((table) => db.all(`select 1 from ${table} limit 1`).length > 0);
}

/** Small values of the installation itself. */
export function settings({ connection, write }: SqliteDatabase): Settings {
  const read = 'select value from settings where name = ?';
  return {
    readSetting: async (name) => connection().all<{ value: string }>(read, name)[0]?.value ?? null,
    listSettings: async (prefix) => {
      const text = 'select name, value from settings where name >= ? and name < ?';
      const rows = connection().all<{ name: string; value: string }>(text, prefix, `${prefix}\u{10ffff}`);
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    swapSetting: (name, expected, value) =>
      write((db) => {
        const present = db.all<{ value: string }>(read, name)[0]?.value ?? null;
        if (present !== null && present !== expected) return present;
        if (present === null && name === FIRST && isInUse(db))
          throw new InstallationError(
            `The ${FIRST} is missing from the settings, but there are sessions or idempotency keys created with it, which cannot be used without it. ` +
              'Restore the file from a backup, or start with a new one if its rows are not needed.',
          );
        if (present === null && expected !== null)
          throw new Error(`The setting ${name} is missing, although settings are never deleted.`);
        put(db, 'settings', { name }, { value });
        return value;
      }),
  };
}
