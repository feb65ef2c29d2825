import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import type { Command } from 'commander';
import { cliFolderOfProcess, readDatabaseUrl } from '../config/cli-config.js';
import { dataDirError } from '../data-dir/data-dir-error.js';
import { lockDataDir, openExistingDataFile } from '../data-dir/data-dir.js';
import { moveBack } from '../move/move-back.js';
import { databaseName } from '../move/database-name.js';
import { move } from '../move/move.js';
import { print, printNote, printResult } from './print.js';
import { folderKeys, installationTrail } from './installation-trail.js';
import { progressLine } from './progress-line.js';

interface Given {
  readonly to: string;
  readonly back?: true;
  readonly loseWhatCameSince?: true;
}

/** Moves from the folder of `GATE_DATA_DIR` to Postgres, and back. No server may run meanwhile. */
export function addMoveCommand(gate: Command): void {
  gate
    .command('move')
    .description(
      'Move the data of GATE_DATA_DIR into an empty Postgres database. An interrupted move continues when run again',
    )
    .requiredOption(
      '--to <url>',
      'postgres://user@host:port/name; a password may come from PGPASSWORD',
      readDatabaseUrl,
    )
    .option('--back', 'undo the move and serve the folder again, in its previous state')
    .option('--lose-what-came-since', 'with --back: accept that data written to Postgres since the move is lost')
    .action(async ({ to, back, loseWhatCameSince }: Given) => {
      if (/:\/\/[^/@?#:]*:[^/@?#]+@/.test(to))
        printNote(
          'Warning: other users of this machine can read arguments, and your shell history stores them. Set PGPASSWORD instead.',
        );
      const dir = cliFolderOfProcess();
      const file = openExistingDataFile(dir);
      let unlock = (): void => undefined;
      try {
        unlock = lockDataDir(dir, 'Stop it first.');
        const trail = await installationTrail(sqliteStore(file), () => folderKeys(dir));
        if (back === true) {
          await moveBack(file, to, { isLost: loseWhatCameSince === true, trail });
          printResult({ from: databaseName(to), to: dir });
          print(
            `"${dir}" is served again, ${databaseName(to)} is not. Drop that database, or empty it before another move.`,
          );
        } else {
          const progress = progressLine(process.stderr);
          await move({ file, dir }, to, { onProgress: progress.show, trail }).finally(progress.end);
          printResult({ from: dir, to: databaseName(to) });
          for (const line of nextSteps(dir, to)) print(line);
        }
      } catch (error) {
        throw dataDirError(error, dir);
      } finally {
        file.close();
        unlock();
      }
    });
}

function nextSteps(dir: string, to: string): readonly string[] {
  return [
    `All data is now in ${databaseName(to)}. "${dir}" can no longer be served. Start the server with`,
    '  DATABASE_URL     that database, with its password',
    `  GATE_MASTER_KEY  the content of ${dir}/master.key, unless it is already set`,
    '  GATE_DATA_DIR    not set',
    'and all other settings unchanged. Keep the master key. Keep the folder until the server is known to work.',
  ];
}
