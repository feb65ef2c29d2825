import type { ConsumerName, ConsumerRegistry, ConsumerStore } from '@gateramp/core/ports';
import type { Database } from './database.js';

interface ConsumerRow extends ConsumerName {
  readonly is_removed: boolean;
  readonly version: string;
}

/** The in-process consumers of all processes. Each change is one statement that queues for the others. */
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
