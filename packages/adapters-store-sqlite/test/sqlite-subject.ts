import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenStore, StoreSubject } from '@gateramp/conformance';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { openConnection } from '../src/connection.js';
import { migrate } from '../src/migrations/migrate.js';
import { sqliteStore } from '../src/index.js';

/** Stores in separate files, which are deleted when they are closed. */
export const sqliteSubject = {
  model: { runs: 15, timeLimitMs: 60_000 },
  unreachable: async () => opened('/nowhere/at/all/gate.db'),
  async create() {
    const folder = scratchFolder('gate-sqlite-');
    const path = join(folder, 'gate.db');
    writeFileSync(path, emptyFile());
    const { store, close } = opened(path);
    return {
      store,
      reopen: async () => opened(path),
      async breakWrites() {
        const { exec, close: closeIt } = openConnection(path);
        for (const verb of ['insert', 'update'])
          exec(`create trigger broken_${verb} before ${verb} on deliveries begin select raise(abort, 'planted'); end`);
        return async () => {
          for (const verb of ['insert', 'update']) exec(`drop trigger broken_${verb}`);
          closeIt();
        };
      },
      async close() {
        await close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
} satisfies StoreSubject;

let empty: Buffer | null = null;

/** A file with tables and no rows. Copying it is fast, while migrating one takes longer than most laws. */
function emptyFile(): Buffer {
  if (empty !== null) return empty;
  const folder = scratchFolder('gate-sqlite-');
  const path = join(folder, 'gate.db');
  const connection = openConnection(path);
  migrate(connection);
  connection.close();
  empty = readFileSync(path);
  rmSync(folder, { recursive: true, force: true });
  return empty;
}

function opened(path: string): OpenStore {
  const store = sqliteStore(path);
  return { store, close: async () => store.close() };
}
