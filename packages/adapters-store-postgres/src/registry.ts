import type { ConsumerName, ConsumerRegistry, ConsumerStore, Settings } from '@gateramp/core/ports';
import type { Database } from './database.js';
import { InstallationError } from './errors.js';

interface ConsumerRow extends ConsumerName {
  readonly is_removed: boolean;
  readonly version: string;
}

/** The in-process consumers of all processes. Each change is one statement that is serialized with the others. */
export function consumers(database: Database, schema: string): ConsumerStore {
  const read = `select name, type, is_removed, version from "${schema}".consumers order by name, type`;
  return {
    async readConsumers(): Promise<ConsumerRegistry> {
      const rows = await database.query<ConsumerRow>(read, []);
      const version = rows.reduce((latest, row) => Math.max(latest, Number(row.version)), 0);
      return { version, consumers: rows.map(({ name, type, is_removed: isRemoved }) => ({ name, type, isRemoved })) };
    },
    async registerConsumers(names) {
      await database.query(`select "${schema}".register_consumers($1)`, [JSON.stringify(names)]);
    },
    async removeConsumer(name) {
      await database.query(`select "${schema}".remove_consumer($1)`, [name]);
    },
  };
}

interface ValueRow {
  readonly value: string;
}

/** The initial setting of an installation. A new value would invalidate all rows that were created with the old one. */
const FIRST = 'pepper';

/** Small values of the installation. Each swap is one statement: it writes only if the stored value is as expected. */
export function settings(database: Database, schema: string): Settings {
  const read = `select value from "${schema}".settings where name = $1`;
  const insert = `insert into "${schema}".settings (name, value) select $1, $2
    where $1 <> '${FIRST}' or not exists (select from "${schema}".sessions) and not exists (select from "${schema}".idempotency_keys)
    on conflict (name) do nothing`;
  const replace = `update "${schema}".settings set value = $3 where name = $1 and value = $2`;
  const readSetting = async (name: string): Promise<string | null> =>
    (await database.query<ValueRow>(read, [name]))[0]?.value ?? null;
  return {
    readSetting,
    async swapSetting(name, expected, value) {
      if (expected === null) await database.query(insert, [name, value]);
      else await database.query(replace, [name, expected, value]);
      const present = await readSetting(name);
      if (present === null && name === FIRST) {
        throw new InstallationError(
          `The ${FIRST} is missing from "${schema}".settings, but there are sessions or idempotency keys created with it, which cannot be used without it. ` +
            'Restore that row from a backup, or empty all tables if their rows are not needed.',
        );
      }
      if (present === null) throw new Error(`The setting ${name} is missing, although settings are never deleted.`);
      return present;
    },
  };
}
