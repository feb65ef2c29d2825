import {
  EXPORT_KINDS,
  type ExportKind,
  type ExportRows,
  type ExportSource,
  MOVE_SETTING,
  type MoveNote,
  moveNoteText,
  parseMoveNote,
} from '@gateramp/store-move';
import type { Pool, PoolClient } from 'pg';
import { borrowed, checkSchema, DEFAULT_SCHEMA } from '../database.js';
import { InstallationError } from '../errors.js';
import { migrate } from '../migrations/migrate.js';
import type { ImportTable } from './import-table.js';
import { shelves } from './shelves.js';

/** Which load this is, where it goes, and who hears how far it is. */
export interface PostgresLoadOptions {
  /** Names the move: only the one that began it goes on with it. */
  readonly id: string;
  /** Where the tables go; made if it is not there. `gateramp` by default. */
  readonly schema?: string;
  /** Rows in one transaction at most; 500 by default. */
  readonly batchRows?: number;
  /** Hears how far it has come, after each transaction. What it throws ends the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** How many rows of one kind have been written. */
export interface LoadProgress {
  readonly kind: ExportKind;
  /** Rows of this kind that are there. */
  readonly copied: number;
}

type Arriving = Extract<MoveNote, { state: 'arriving' }>;

/**
 * Takes everything that `source` has into a schema without a row, which it makes and migrates. What a transaction
 * brings and how far that is are written together, so a load that was cut off goes on where it was when it is called
 * again, and brings each row once. No process may write to the source from the first call to the end of the last. A schema
 * that has rows of anything else is an `InstallationError`, and is left as it is.
 */
export async function postgresLoad(pool: Pool, source: ExportSource, options: PostgresLoadOptions): Promise<void> {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const { id, batchRows = 500, onProgress = () => undefined } = options;
  let note = await beginLoad(pool, schema, id);
  if (note.state !== 'arriving') return;
  const client = await borrowed(pool);
  try {
    while (note.state === 'arriving') {
      const from: Arriving = note;
      const { kind, after, copied } = from;
      const page = source.read(kind, after, batchRows);
      const there = copied + page.rows.length;
      const next: MoveNote = page.next === null ? behind(from) : { ...from, after: page.next, copied: there };
      if (next.state === 'arrived') await finish(client, schema);
      await inTransaction(client, async () => {
        await advance(client, schema, from, next);
        for (const shelf of shelvesOf(kind)) {
          const statement = shelf.insertOf(page.rows, schema);
          if (statement !== null) await client.query(statement.text, [...statement.values]);
        }
      });
      onProgress({ kind, copied: there });
      note = next;
    }
    client.release();
  } catch (error) {
    // A connection in an unknown state is not reused.
    client.release(true);
    throw error;
  }
}

/** The first of the next kind; behind the last one everything is there. */
function behind({ id, kind }: Arriving): MoveNote {
  const next = EXPORT_KINDS[EXPORT_KINDS.indexOf(kind) + 1];
  return next === undefined ? { state: 'arrived', id } : { state: 'arriving', id, kind: next, after: null, copied: 0 };
}

/** Rows that were read as a kind go to the shelves of that kind, which the compiler cannot follow through a union. */
function shelvesOf<Kind extends ExportKind>(kind: Kind): readonly ImportTable<ExportRows[Kind]>[] {
  return shelves[kind];
}

/** Fences a second load of the same move: one that has not seen the last step takes none. */
async function advance(client: PoolClient, schema: string, from: MoveNote, to: MoveNote): Promise<void> {
  const text = `update "${schema}".settings set value = $3 where name = $1 and value = $2`;
  const { rowCount } = await client.query(text, [MOVE_SETTING, moveNoteText(from), moveNoteText(to)]);
  if (rowCount !== 1)
    throw new InstallationError(`Another process is loading into the schema "${schema}" at the same time.`);
}

/** So many rows at once: what the planner knows of them, and what index-only scans need, would otherwise come some time later. */
async function finish(client: PoolClient, schema: string): Promise<void> {
  for (const table of await tablesOf(client, schema)) await client.query(`vacuum (analyze) "${schema}"."${table}"`);
}

async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  await work();
  await client.query('commit');
}

/** The position of the load: at the beginning of a schema without a row, which is then ours, or where the move of this id had come to. */
async function beginLoad(pool: Pool, schema: string, id: string): Promise<MoveNote> {
  const found = await noteIn(pool, schema);
  if (found !== null && found.id !== id)
    throw new InstallationError(`The schema "${schema}" holds the data of another move. ${ELSEWHERE}`);
  if (found?.state === 'given_up')
    throw new InstallationError(`The move into the schema "${schema}" was undone. ${ELSEWHERE}`);
  if (found === null) {
    const filled = await filledTables(pool, schema);
    if (filled.length > 0)
      throw new InstallationError(
        `The schema "${schema}" is not empty: it has rows in ${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ' and others' : ''}. ${ELSEWHERE}`,
      );
  }
  await migrate(pool, { schema });
  return found ?? (await noteBeginning(pool, schema, id));
}

const ELSEWHERE = 'Empty the database, or choose another one.';

/** A load that began at the same moment was faster. */
async function noteBeginning(pool: Pool, schema: string, id: string): Promise<MoveNote> {
  const note: MoveNote = { state: 'arriving', id, kind: 'partner', after: null, copied: 0 };
  const text = `insert into "${schema}".settings (name, value) values ($1, $2) on conflict do nothing`;
  const { rowCount } = await pool.query(text, [MOVE_SETTING, moveNoteText(note)]);
  if (rowCount !== 1) throw new InstallationError(`Another move into the schema "${schema}" has just begun.`);
  return note;
}

async function noteIn(pool: Pool, schema: string): Promise<MoveNote | null> {
  if (!(await tablesOf(pool, schema)).includes('settings')) return null;
  const text = `select value from "${schema}".settings where name = $1`;
  const { rows } = await pool.query<{ value: string }>(text, [MOVE_SETTING]);
  return rows[0] === undefined ? null : parseMoveNote(rows[0].value);
}

async function filledTables(pool: Pool, schema: string): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const table of await tablesOf(pool, schema)) {
    const { rows } = await pool.query(`select 1 from "${schema}"."${table}" limit 1`);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

/** Whatever version has made them. */
async function tablesOf(database: Pool | PoolClient, schema: string): Promise<readonly string[]> {
  const text = "select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations' order by 1";
  const { rows } = await database.query<{ name: string }>(text, [schema]);
  return rows.map(({ name }) => name);
}
