/**
 * Creates many sessions concurrently, and writes each answered key into a file of the same folder: the journal of that folder then shows
 * what had been answered at any position. `synchronous` is the setting of SQLite, to show that settings below `full` lose data.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { aCreate } from '@gateramp/conformance';
import { openSqlite, sqliteStore } from '../src/index.js';

const [folder = '', creates, synchronous = 'full'] = process.argv.slice(2);
const database = openSqlite(join(folder, 'gate.db'));
database.connection().exec(`pragma synchronous = ${synchronous}`);
// Small, so that a short run has many checkpoints.
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
