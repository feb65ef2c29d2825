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
import { SESSIONS_IDENTITY } from '../partitions/tables.js';
import type { ImportTable } from './import-table.js';
import { shelves } from './shelves.js';

/** The identity of the load, its target schema, and its progress callback. */
export interface PostgresLoadOptions {
  /** The name of the move: only the same name can continue it. */
  readonly id: string;
  /** The target schema; created if it does not exist. `gateramp` by default. */
  readonly schema?: string;
  /** The maximum number of rows per transaction; 500 by default. */
  readonly batchRows?: number;
  /** Called after each transaction. If it throws, the load ends. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** The number of rows of one kind that have been written. */
export interface LoadProgress {
  readonly kind: ExportKind;
  /** Rows of this kind written so far. */
  readonly copied: number;
}

type Arriving = Extract<MoveNote, { state: 'arriving' }>;

/**
 * Copies everything from `source` into an empty schema, which it creates and migrates. Rows and progress are written in one transaction, so
 * an interrupted load continues where it stopped when it is called again, and writes each row once. No process may write to the source from
 * the first call until the last has finished. A schema with any other rows, or with distributed tables, causes an `InstallationError`, and
 * is left unchanged.
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
      const next: MoveNote = page.next === null ? positionAfter(from) : { ...from, after: page.next, copied: there };
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

/** The position after this kind: the start of the next kind, or the end. */
function positionAfter({ id, kind }: Arriving): MoveNote {
  const next = EXPORT_KINDS[EXPORT_KINDS.indexOf(kind) + 1];
  return next === undefined ? { state: 'arrived', id } : { state: 'arriving', id, kind: next, after: null, copied: 0 };
}

/** Rows of a kind go to the shelves of that kind; the compiler cannot follow this through a union. */
function shelvesOf<Kind extends ExportKind>(kind: Kind): readonly ImportTable<ExportRows[Kind]>[] {
  return shelves[kind];
}

/** Fences concurrent loads of the same move: a load that has missed the last step cannot advance. */
async function advance(client: PoolClient, schema: string, from: MoveNote, to: MoveNote): Promise<void> {
  const text = `update "${schema}".settings set value = $3 where name = $1 and value = $2`;
  const { rowCount } = await client.query(text, [MOVE_SETTING, moveNoteText(from), moveNoteText(to)]);
  if (rowCount !== 1)
    throw new InstallationError(`Another process is loading into the schema "${schema}" at the same time.`);
}

/** Analyzes and vacuums after a bulk load: planner statistics and the visibility map for index-only scans would be outdated. */
async function finish(client: PoolClient, schema: string): Promise<void> {
  for (const table of await tablesOf(client, schema)) await client.query(`vacuum (analyze) "${schema}"."${table}"`);
}

async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  await work();
  await client.query('commit');
}

/** The position of the load: the start if the schema is empty, which claims it, or the last position of the move with this id. */
async function beginLoad(pool: Pool, schema: string, id: string): Promise<MoveNote> {
  if (await isDistributed(pool, schema))
    throw new InstallationError(
      `The tables of the schema "${schema}" are distributed, and a move cannot fill them. Move into a database without tables, then distribute its tables.`,
    );
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

/** `distribute.sql` of `@gateramp/adapters-store-citus` adds the partner to the keys of counters. */
async function isDistributed(pool: Pool, schema: string): Promise<boolean> {
  const text = "select 1 from pg_attribute where attrelid = to_regclass($1) and attname = 'partner_id'";
  return (await pool.query(text, [`"${schema}".counters`])).rows.length > 0;
}

const ELSEWHERE = 'Empty the database, or choose another one.';

/** Fails if another load has started at the same moment. */
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

/** A database may be partitioned before anything is in it; that is noted in the settings. */
async function filledTables(pool: Pool, schema: string): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const table of await tablesOf(pool, schema)) {
    const isData = table === 'settings' ? `name <> '${SESSIONS_IDENTITY}'` : 'true';
    const { rows } = await pool.query(`select 1 from "${schema}"."${table}" where ${isData} limit 1`);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

/** All tables, including those of other versions. */
async function tablesOf(database: Pool | PoolClient, schema: string): Promise<readonly string[]> {
  const text = "select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations' order by 1";
  const { rows } = await database.query<{ name: string }>(text, [schema]);
  return rows.map(({ name }) => name);
}
