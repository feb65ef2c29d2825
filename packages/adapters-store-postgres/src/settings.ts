import type { Settings } from '@gateramp/core/ports';
import type { Database } from './database.js';

interface ValueRow {
  readonly value: string;
}

/** Small values of the installation. Each swap is one statement: it writes only what is still as expected. */
export function settings(database: Database, schema: string): Settings {
  const read = `select value from "${schema}".settings where name = $1`;
  const insert = `insert into "${schema}".settings (name, value) values ($1, $2) on conflict (name) do nothing`;
  const replace = `update "${schema}".settings set value = $3 where name = $1 and value = $2`;
  const readSetting = async (name: string): Promise<string | null> => (await database.query<ValueRow>(read, [name]))[0]?.value ?? null;
  return {
    readSetting,
    async swapSetting(name, expected, value) {
      if (expected === null) await database.query(insert, [name, value]);
      else await database.query(replace, [name, expected, value]);
      const present = await readSetting(name);
      if (present === null) throw new Error(`The setting ${name} has vanished; settings are never deleted.`);
      return present;
    },
  };
}
