import { randomUUID } from 'node:crypto';
import { postgresStore } from '@gateramp/adapters-store-postgres';
import { sqliteStore, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { MOVE_SETTING, moveNoteText, readMoveNote } from '@gateramp/store-move';
import type pg from 'pg';
import { CommandError } from '../cli/command-error.js';
import type { RecordInstallation } from '../cli/installation-trail.js';
import { databaseError, withPatientPool } from '../database/open-database.js';
import { SCHEMA } from '../database/schema.js';
import { StartError } from '../start-error.js';
import { databaseName } from './database-name.js';
import { auditIdOf } from './move.js';

interface BackOptions {
  readonly isLost: boolean;
  /** Records it in the audit trail of the folder. */
  readonly trail: RecordInstallation;
}

/**
 * Undoes a move: the database is no longer served, and the folder is served again in its previous state. `isLost` accepts the loss of data
 * that the database has received since; the database may then be gone permanently.
 */
export async function moveBack(file: SqliteDatabase, url: string, { isLost, trail }: BackOptions): Promise<void> {
  const settings = sqliteStore(file);
  const { text, note } = await readMoveNote(settings);
  if (note?.state !== 'leaving' && note?.state !== 'left')
    throw new CommandError('This installation has not been moved: there is nothing to undo.');
  const to = databaseName(url);
  if (note.to !== to)
    throw new CommandError(`It ${note.state === 'left' ? 'has moved' : 'is being moved'} to ${note.to}, not to ${to}.`);
  try {
    const config = { url, connectionsMax: 1, isBehindProxy: false, isDistributed: false };
    await withPatientPool(config, (pool) => giveUp(pool, note.id, isLost), 'gateramp move');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!isLost) throw stillThere(databaseError(error, url, '--to'));
  }
  const target = { type: 'database', id: to };
  const entry = { store: settings, opsPool: null, action: 'installation.move_back', target, after: null };
  await trail({ ...entry, id: auditIdOf(note) });
  // A new id: the data in that database belongs to this move, and a later move is a different one.
  await settings.swapSetting(MOVE_SETTING, text, moveNoteText({ state: 'back', id: randomUUID() }));
}

/** It cannot be determined whether an unreachable database is being served. */
function stillThere(error: unknown): unknown {
  if (!(error instanceof StartError)) return error;
  return new CommandError(
    `${error.problems.join(' ')} If it is lost permanently, move back with --lose-what-came-since.`,
  );
}

async function giveUp(pool: pg.Pool, id: string, isLost: boolean): Promise<void> {
  const { rows } = await pool.query(`select 1 where to_regclass('${SCHEMA}.settings') is not null`);
  if (rows.length === 0) return;
  const settings = postgresStore(pool, { schema: SCHEMA });
  const { text, note } = await readMoveNote(settings);
  if (note === null || note.id !== id) return;
  if (await isInUse(pool)) throw new CommandError(IN_USE);
  if (note.state === 'serving' && !isLost)
    throw new CommandError(
      'That database has been served, or changed by a command: data written there since the move, including payments, is not in the folder. To accept the loss, move back with --lose-what-came-since.',
    );
  const givenUp = moveNoteText({ state: 'given_up', id });
  const isOurs = (await settings.swapSetting(MOVE_SETTING, text, givenUp)) === givenUp;
  // A server connects before it reads the note, so one that has read the old note is visible here.
  if (isOurs && !(await isInUse(pool))) return;
  if (isOurs) await settings.swapSetting(MOVE_SETTING, givenUp, moveNoteText(note));
  throw new CommandError(IN_USE);
}

const IN_USE =
  'A server or a gate command is using that database. Stop every server first, so that only one side is served.';

/** Servers and commands set their application names (`openDatabase`). */
async function isInUse(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and application_name ~ '^gateramp (all|api|worker|cli)' limit 1",
  );
  return rows.length > 0;
}
