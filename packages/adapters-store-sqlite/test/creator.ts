/**
 * Creates sessions, many at once, and writes each key that was answered into a file of the same folder: how far a
 * journal of that folder has come then shows what had been answered. `synchronous` is that of SQLite, to see less than
 * `full` lose something.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { aCreate } from '@gateramp/conformance';
import { openSqlite, sqliteStore } from '../src/index.js';

const [folder = '', creates, synchronous = 'full'] = process.argv.slice(2);
const database = openSqlite(join(folder, 'gate.db'));
database.connection().exec(`pragma synchronous = ${synchronous}`);
// Small, so that a short life has many checkpoints.
database.connection().exec('pragma wal_autocheckpoint = 100');
const store = sqliteStore(database);
const answered = openSync(join(folder, 'answered'), 'w');

let next = 0;
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let nth = (next += 1); nth <= Number(creates); nth = next += 1) {
      await store.commit(aCreate(`key-${nth}`));
      writeSync(answered, `key-${nth}\n`);
    }
  }),
);
store.close();
