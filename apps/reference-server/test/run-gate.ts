import { execFile } from 'node:child_process';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY } from './master-keys.js';
import { programs } from './running-server.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `gate` like an operator. */
export function runGate(command: string, settings: Readonly<Record<string, string>>, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [programs.gate, ...command.split(' ')],
      { env: { PATH: process.env['PATH'], ...settings } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out: out.trim(), err: err.trim() }),
    );
    // A command that does not read its input may end before it is written.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

type Settings = Readonly<Record<string, string>>;

export interface MigratedDatabase {
  /** For commands and servers. */
  readonly settings: Settings;
  readonly database: ScratchDatabase;
}

/** A new database with the schema of this version, migrated by `gate migrate`. */
export async function migratedDatabase(more: Settings = {}): Promise<MigratedDatabase> {
  const database = await createScratchDatabase();
  const settings = { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY, ...more };
  const { code, err } = await runGate('migrate', settings);
  if (code !== 0) throw new Error(err);
  return { settings, database };
}
