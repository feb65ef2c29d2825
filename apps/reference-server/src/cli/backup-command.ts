import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sqliteOperator } from '@gateramp/adapters-store-sqlite';
import type { Command } from 'commander';
import { cliFolderOfProcess } from '../config-cli.js';
import { openExistingDataFile } from '../data-dir/data-dir.js';
import { syncFolder } from '../data-dir/write-synced.js';
import { CommandError } from './command-error.js';
import { print } from './print.js';

/** Reads a snapshot of the file in a separate process, so the server can keep running. */
export function addBackupCommand(gate: Command): void {
  gate
    .command('backup <file>')
    .description('Copy the data of GATE_DATA_DIR into one file. The server may keep running')
    .action(async (path: string) => {
      const dir = cliFolderOfProcess();
      if (existsSync(path)) throw new CommandError(`${path} already exists.`);
      const file = openExistingDataFile(dir);
      try {
        await sqliteOperator(file).backup(path);
        syncFolder(dirname(resolve(path)));
      } catch (error) {
        throw copyError(error, path);
      } finally {
        file.close();
      }
      print(`${path} contains all data except the master key. Back that up separately.`);
    });
}

/** The folder has already been opened, so the error concerns the target: no space, or an invalid path. */
function copyError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error.cause instanceof Error ? error.cause : error;
  return new CommandError(`Could not copy to ${path}: ${message}`);
}
