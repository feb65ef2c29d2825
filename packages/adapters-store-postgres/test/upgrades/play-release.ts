import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Migration } from '../../src/index.js';
import { migrateTo } from '../../src/migrations/migrate.js';
import { inSchema } from '../../src/migrations/migrations.js';
import { asSent, errorCode } from './recorded-pool.js';
import { versionOf, type Release, type Statement } from './release.js';

/** Restores a schema as the release left it. */
export async function restore(release: Release, pool: pg.Pool, schema: string): Promise<void> {
  await migrateTo(versionOf(release, schema), pool, schema);
  for (const { table, row } of release.rows) {
    const names = Object.keys(row);
    await pool.query(
      `insert into "${schema}"."${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(row),
    );
  }
}

/**
 * Migrates the release's database to `known` while a process of the release keeps working: it repeats its recorded statements over a
 * separate connection. The migration starts after a third of them, and ends before the last third. Returns the answers that differ from the
 * recording, and the functions that are missing.
 */
export async function upgradeUnderLoad(
  release: Release,
  known: readonly Migration[],
  pool: pg.Pool,
  schema: string,
): Promise<readonly string[]> {
  await restore(release, pool, schema);
  const functions = await functionsOf(pool, schema);
  const { statements } = release;
  const begins = Math.floor(statements.length / 3);
  const hasEnded = placeOutside(statements, 2 * begins);
  const client = await pool.connect();
  const surprises: string[] = [];
  let migrating: Promise<unknown> = Promise.resolve();
  try {
    for (const [nth, statement] of statements.entries()) {
      if (nth === begins) migrating = migrateTo({ known, usableFrom: release.migrations.length }, pool, schema);
      if (nth === hasEnded) await migrating;
      const surprise = await play(statement, client, schema);
      if (surprise !== null) surprises.push(`statement ${nth + 1}, ${surprise}`);
      if (surprises.length > 3) break;
    }
    await migrating;
  } finally {
    await migrating.catch(() => undefined);
    client.release(true);
  }
  const kept = await functionsOf(pool, schema);
  return [...surprises, ...functions.filter((name) => !kept.includes(name)).map((name) => `${name} is gone`)];
}

async function functionsOf(pool: pg.Pool, schema: string): Promise<readonly string[]> {
  const text = 'select p.oid::regprocedure::text as name from pg_proc p where pronamespace = $1::regnamespace';
  return (await pool.query<{ name: string }>(text, [schema])).rows.map(({ name }) => name);
}

/** The answers to a process of the release that differ from the recording. */
export async function repeated(release: Release, pool: pg.Pool, schema: string): Promise<readonly string[]> {
  const client = await pool.connect();
  const surprises: string[] = [];
  try {
    for (const statement of release.statements) {
      const surprise = await play(statement, client, schema);
      if (surprise !== null) surprises.push(surprise);
    }
  } finally {
    client.release(true);
  }
  return surprises;
}

/** The first position from `nth` on outside of a transaction: locks held within one would block the migration. */
function placeOutside(statements: readonly Statement[], nth: number): number {
  const ended = statements.findIndex(
    ({ text }, at) =>
      at >= nth && !/^(?:begin|commit|rollback)/.test(text) && !statements[at - 1]?.text.startsWith('begin'),
  );
  if (ended === -1) throw new Error('The recording ends within a transaction.');
  return ended;
}

async function play(statement: Statement, client: pg.PoolClient, schema: string): Promise<string | null> {
  const { text, values, answer } = statement;
  const heard = await ask(inSchema(text, schema), values, client);
  if ('rows' in answer && 'rows' in heard && answer.rows === null) return null;
  if (isDeepStrictEqual(comparable(text, heard), comparable(text, answer))) return null;
  return `${text.slice(0, 200)}\n  answered ${JSON.stringify(heard).slice(0, 400)}\n  before   ${JSON.stringify(answer).slice(0, 400)}`;
}

/** Rows of a table that are selected without an order come in any. */
function comparable(text: string, answer: Statement['answer']): unknown {
  const isOrdered = text.includes('order by') || !/ from gate\.\w+ where /.test(text);
  if (isOrdered || 'error' in answer || answer.rows === null) return answer;
  return answer.rows.map((row) => JSON.stringify(row)).sort();
}

async function ask(text: string, values: readonly unknown[], client: pg.PoolClient): Promise<Statement['answer']> {
  try {
    const { rows } = await client.query(values.length === 0 ? { text } : { text, values: values.map(asSent) });
    // In the recorded form, without differences that only a program could see.
    return { rows: rows === undefined ? null : (JSON.parse(JSON.stringify(rows)) as readonly unknown[]) };
  } catch (error) {
    return { error: errorCode(error) };
  }
}
