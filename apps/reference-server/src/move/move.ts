import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { postgresLoad, postgresStore, type LoadProgress } from '@gateramp/adapters-store-postgres';
import { sqliteDump, sqliteStore, type SqliteDatabase, type SqliteDump } from '@gateramp/adapters-store-sqlite';
import { type Settings } from '@gateramp/core/ports';
import { MOVE_SETTING, moveNoteText, readMoveNote, type MoveNote } from '@gateramp/store-move';
import type pg from 'pg';
import { CommandError } from '../cli/command-error.js';
import type { RecordInstallation } from '../cli/installation-trail.js';
import { databaseError, withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { StartError } from '../start-error.js';
import { databaseName } from './database-name.js';

/** The number of copied rows of a kind, and their total. */
export interface MoveProgress extends LoadProgress {
  readonly total: number;
}

type Leaving = Extract<MoveNote, { state: 'leaving' | 'left' }>;

/** The folder to move, open and locked. */
interface MovedFolder {
  readonly file: SqliteDatabase;
  readonly dir: string;
}

interface MoveOptions {
  readonly onProgress: (progress: MoveProgress) => void;
  /** Records the move in the audit trail of the database. */
  readonly trail: RecordInstallation;
}

/**
 * Copies everything from the folder into the database at `url`, and records the move in both. If it was interrupted, it continues where it
 * stopped. The caller holds the lock of the folder.
 */
export async function move({ file, dir }: MovedFolder, url: string, { onProgress, trail }: MoveOptions): Promise<void> {
  const settings = sqliteStore(file);
  const { note, isNew } = await leaving(settings, databaseName(url));
  if (note.state === 'left') return;
  const dump = sqliteDump(file);
  let isBegun = !isNew;
  try {
    await dump.whileStill(() =>
      withTarget(url, async (pool) => {
        await copy(dump, pool, note.id, (progress) => {
          isBegun = true;
          onProgress(progress);
        });
        const target = { type: 'data_folder', id: resolve(dir) };
        const store = postgresStore(pool, { schema: SCHEMA });
        await trail({ store, opsPool: pool, action: 'installation.move', target, after: null, id: auditIdOf(note) });
      }),
    );
  } catch (error) {
    const known = databaseError(error, url, '--to');
    if (isBegun) throw cutShort(known);
    // An unusable database must not keep the folder from being served.
    await swap(settings, note, { state: 'back', id: note.id });
    throw known;
  }
  await swap(settings, note, { ...note, state: 'left' });
}

/** After any error of Postgres (a full disk, a terminated connection) the next step is the same. */
function cutShort(error: unknown): unknown {
  if (!(error instanceof StartError) && !(error instanceof Error && 'severity' in error)) return error;
  const reason = error instanceof StartError ? error.problems.join(' ') : `--to: Postgres says: ${error.message}.`;
  return new CommandError(
    `The move was interrupted. ${reason}\nCopied data is kept. Run the same command again to continue.`,
  );
}

/** The folder's note of its move, which is started if there is none. */
async function leaving(settings: Settings, to: string): Promise<{ readonly note: Leaving; readonly isNew: boolean }> {
  const { text, note } = await readMoveNote(settings);
  if (note?.state === 'leaving' || note?.state === 'left') {
    if (note.to === to) return { note, isNew: false };
    const state = note.state === 'left' ? 'has moved' : 'is being moved';
    throw new CommandError(
      `This installation ${state} to ${note.to}. To undo the move: gate move --to that database --back`,
    );
  }
  const begun: Leaving = { state: 'leaving', id: note?.id ?? randomUUID(), to };
  await settings.swapSetting(MOVE_SETTING, text, moveNoteText(begun));
  return { note: begun, isNew: true };
}

async function swap(settings: Settings, from: MoveNote, to: MoveNote): Promise<void> {
  await settings.swapSetting(MOVE_SETTING, moveNoteText(from), moveNoteText(to));
}

function withTarget(url: string, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  return withPatientPool({ url, connectionsMax: 1, isBehindProxy: false, isDistributed: false }, work, 'gateramp move');
}

/** What the audit trail calls a move, in the folder and in the database. */
export function auditIdOf({ id }: Pick<MoveNote, 'id'>): string {
  return `move_${id}`;
}

function copy(
  dump: SqliteDump,
  pool: pg.Pool,
  id: string,
  onProgress: (progress: MoveProgress) => void,
): Promise<void> {
  const totals = new Map<LoadProgress['kind'], number>();
  const withTotal = ({ kind, copied }: LoadProgress): void => {
    const total = totals.get(kind) ?? dump.count(kind);
    totals.set(kind, total);
    onProgress({ kind, copied, total });
  };
  return postgresLoad(pool, dump, { id, schema: SCHEMA, onProgress: withTotal });
}
