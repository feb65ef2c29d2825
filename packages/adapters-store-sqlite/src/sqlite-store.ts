import type { Store } from '@gateramp/core/ports';
import { audit } from './audit.js';
import { commitChange, readReply } from './commit-change.js';
import { openSqlite, type SqliteDatabase, type SqliteOptions } from './database.js';
import { partners } from './partners.js';
import { reads } from './reads.js';
import { reap } from './reap.js';
import { consumers, settings } from './registry.js';
import { work } from './work.js';

/** A store in one file. Call `close` once it is no longer used. */
export interface SqliteStore extends Store {
  close(): void;
}

/**
 * The durable store for one machine. `file` is a path, created and migrated on first use, or the result of `openSqlite`. Several processes
 * may share the file. Confirmed writes have been synced to the disk.
 */
export function sqliteStore(file: string | SqliteDatabase, options: SqliteOptions = {}): SqliteStore {
  const database = typeof file === 'string' ? openSqlite(file, options) : file;
  return {
    contract: 2,
    isDurable: true,
    commit: (change) => database.write((db) => commitChange(db, change)),
    findReply: async (ref, now) => readReply(database.connection(), ref, now),
    reap: (request) => database.write((db) => reap(db, request)),
    ...reads(database),
    ...work(database),
    ...partners(database),
    ...consumers(database),
    ...audit(database),
    ...settings(database),
    close: () => database.close(),
  };
}
