import type { ExportSource } from '@gateramp/store-move';
import { openSqlite, type SqliteDatabase } from './database.js';
import { shelves } from './shelves.js';

/** A file whose rows are exported. */
export interface SqliteDump extends ExportSource {
  /** Runs `work` while no process writes to the file: all reads see the same state. */
  whileStill<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Exports all rows of a file for another store; the file is not changed. */
export function sqliteDump({ path, connection }: Pick<SqliteDatabase, 'path' | 'connection'>): SqliteDump {
  return {
    count: (kind) =>
      connection().all<{ many: number }>(`select count(*) as many from ${shelves[kind].table}`)[0]?.many ?? 0,
    read: (kind, after, limit) => shelves[kind].page(connection(), after, limit),
    whileStill: async (work) => {
      // On a separate connection, which only holds the write lock.
      const holder = openSqlite(path);
      try {
        holder.connection().exec('begin immediate');
        try {
          return await work();
        } finally {
          holder.connection().exec('rollback');
        }
      } finally {
        holder.close();
      }
    },
  };
}
