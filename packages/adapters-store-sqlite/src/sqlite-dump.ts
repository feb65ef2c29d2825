import type { ExportSource } from '@gateramp/store-move';
import { openSqlite, type SqliteDatabase } from './database.js';
import { shelves } from './shelves.js';

/** A file from which everything is taken. */
export interface SqliteDump extends ExportSource {
  /** Runs `work` while no process writes to the file: what is read meanwhile is of one moment. */
  whileStill<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** All rows of a file, for another store to take: the file is left as it is. */
export function sqliteDump({ path, connection }: Pick<SqliteDatabase, 'path' | 'connection'>): SqliteDump {
  return {
    count: (kind) =>
      connection().all<{ many: number }>(`select count(*) as many from ${shelves[kind].table}`)[0]?.many ?? 0,
    read: (kind, after, limit) => shelves[kind].page(connection(), after, limit),
    whileStill: async (work) => {
      // On a connection of its own: it keeps the place of the writer and reads nothing.
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
