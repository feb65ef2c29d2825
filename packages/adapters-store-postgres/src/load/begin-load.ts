import { MOVE_SETTING, moveNoteText, parseMoveNote, type MoveNote } from '@gateramp/core/ports';
import type { Pool, PoolClient } from 'pg';
import { InstallationFault } from '../installation-fault.js';
import { migrate } from '../migrations/migrate.js';

/** The position of the load: at the beginning of a schema without a row, which is then ours, or where the move of this id had come to. */
export async function beginLoad(pool: Pool, schema: string, id: string): Promise<MoveNote> {
  const found = await noteIn(pool, schema);
  if (found !== null && found.id !== id)
    throw new InstallationFault(`The schema "${schema}" holds the data of another move. ${ELSEWHERE}`);
  if (found?.state === 'given_up')
    throw new InstallationFault(`The move into the schema "${schema}" was undone. ${ELSEWHERE}`);
  if (found === null) {
    const filled = await filledTables(pool, schema);
    if (filled.length > 0)
      throw new InstallationFault(
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
  if (rowCount !== 1) throw new InstallationFault(`Another move into the schema "${schema}" has just begun.`);
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
export async function tablesOf(database: Pool | PoolClient, schema: string): Promise<readonly string[]> {
  const text = "select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations' order by 1";
  const { rows } = await database.query<{ name: string }>(text, [schema]);
  return rows.map(({ name }) => name);
}
