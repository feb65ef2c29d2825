import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sqliteOperator, sqliteStore, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import type { Command } from 'commander';
import { cliFolderOfProcess } from '../config/cli-config.js';
import { openExistingDataFile } from '../data-dir/data-dir.js';
import { syncFolder } from '../data-dir/write-synced.js';
import { refusingWrites } from '../move/noted-writes.js';
import { CommandError } from './command-error.js';
import { folderKeys, installationTrail, recordAfterwards } from './installation-trail.js';
import { print, printResult } from './print.js';

/** Reads a snapshot of the file in a separate process, so the server can keep running. */
export function addBackupCommand(gate: Command): void {
  gate
    .command('backup <file>')
    .description('Back up the data of GATE_DATA_DIR to a file. The server can keep running')
    .action(async (path: string) => {
      const dir = cliFolderOfProcess();
      if (existsSync(path)) throw new CommandError(`${path} already exists.`);
      const file = openExistingDataFile(dir);
      try {
        await sqliteOperator(file)
          .backup(path)
          .then(() => syncFolder(dirname(resolve(path))))
          .catch((error: unknown) => {
            throw copyError(error, path);
          });
        await recordAfterwards(recordBackup(file, dir, resolve(path)));
      } finally {
        file.close();
      }
      printResult({ file: resolve(path) });
      print(`${path} contains all data except the master key. Back that up separately.`);
    });
}

/** In the installation, not in the copy. A folder that is moving must not change, so that is not recorded. */
async function recordBackup(file: SqliteDatabase, dir: string, path: string): Promise<void> {
  const store = sqliteStore(refusingWrites(file, dir));
  const trail = await installationTrail(store, () => folderKeys(dir));
  const target = { type: 'backup', id: path };
  await trail({ store, opsPool: null, action: 'installation.backup', target, after: null, id: null });
}

/** The folder has already been opened, so the error concerns the target: no space, or an invalid path. */
function copyError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error.cause instanceof Error ? error.cause : error;
  return new CommandError(`Could not copy to ${path}: ${message}`);
}
