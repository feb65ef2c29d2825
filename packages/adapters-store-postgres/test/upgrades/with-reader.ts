import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import type pg from 'pg';
import { migrateTo, type Target } from '../../src/migrations/migrate.js';
import { inSchema } from '../../src/migrations/migrations.js';
import { stopwatch } from '../../../../tests/services/stopwatch.js';
import { asSent } from './recorded-pool.js';
import type { Release, Statement } from './release.js';

/** The second that the law allows, in addition to the slowest request on this machine before the migration began. */
const WAIT_MAX_MS = 1_000;
const BASELINE_ROUNDS = 30;

interface ReaderSetup {
  readonly target: Target;
  /** How long the reader keeps its locks. */
  readonly readerMs: number;
}

/**
 * Migrates the release's database while a reader holds locks on its tables like `pg_dump`, and clients of the release create sessions and
 * read every table. Returns how much longer the slowest create or read took than the law allows, in milliseconds, which are negative if it
 * keeps the law; a create or read that fails, as after a limited wait for a lock, took infinitely long.
 */
export async function excessWithReader(
  release: Release,
  pool: pg.Pool,
  schema: string,
  { target, readerMs }: ReaderSetup,
): Promise<number> {
  const tables = await tablesOf(pool, schema);
  const asked = { 'a create': creates(release, pool, schema), 'a read': reads(pool, tables) };
  const baseline: number[] = [];
  for (let nth = 0; nth < BASELINE_ROUNDS; nth += 1)
    for (const ask of Object.values(asked)) baseline.push(await timed(ask));
  const limitMs = Math.max(...baseline) + WAIT_MAX_MS;
  const reader = await pool.connect();
  await reader.query('begin isolation level repeatable read, read only');
  await reader.query(`lock table ${tables.join(', ')} in access share mode`);
  await reader.query(`select count(*) from "${schema}".sessions`);
  const leaving = rest(readerMs).then(() => reader.query('commit'));
  let slowestMs = 0;
  let isMigrating = true;
  const migrating = migrateTo(target, pool, schema).finally(() => (isMigrating = false));
  const client = async (name: keyof typeof asked): Promise<void> => {
    while (isMigrating) {
      const tookMs = await timed(asked[name]).catch(() => Infinity);
      slowestMs = Math.max(slowestMs, tookMs);
    }
  };
  await Promise.all([leaving, migrating, client('a create'), client('a create'), client('a read')]);
  reader.release();
  return slowestMs - limitMs;
}

/** Without the time for which other work on the machine stops this process. */
function timed(ask: () => Promise<void>): Promise<number> {
  const elapsed = stopwatch();
  return ask().finally(elapsed).then(elapsed);
}

/** Qualified and quoted; the table of migrations is not used by the release's processes. */
async function tablesOf(pool: pg.Pool, schema: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = $1 and tablename <> 'migrations'`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** Reads a row of each table, one after another. */
function reads(pool: pg.Pool, tables: readonly string[]): () => Promise<void> {
  return async () => {
    for (const table of tables) await pool.query(`select from ${table} limit 1`);
  };
}

/** Repeats the first create of the release, each time with new ids and a new key. */
function creates(release: Release, pool: pg.Pool, schema: string): () => Promise<void> {
  const [recorded] = release.statements.filter(
    ({ text, answer }) =>
      text.includes('gate.commit_new_rows(') && 'rows' in answer && JSON.stringify(answer.rows).includes('"answer":[]'),
  );
  if (recorded === undefined) throw new Error('The release has created nothing.');
  const text = inSchema(recorded.text, schema);
  return async () => {
    const { rows } = await pool.query<{ answer: unknown }>({ text, values: ofItsOwn(recorded) });
    if (JSON.stringify(rows[0]?.answer) !== '[]') throw new Error(`A create was refused: ${JSON.stringify(rows)}`);
  };
}

const ID = /[0-9a-f]{24,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const PARTNER = /^65f0c0ffee/;

/** Replaces ids and hashes by others of the same length, except the partner's: values are columns of bytes. */
function ofItsOwn({ values }: Statement): unknown[] {
  const made = new Map<string, string>();
  return values.map((value) => {
    const sent = asSent(value);
    if (!Buffer.isBuffer(sent)) return sent;
    const text = sent.toString('latin1').replaceAll(ID, (id) => {
      if (PARTNER.test(id)) return id;
      const other =
        made.get(id) ?? (id.includes('-') ? randomUUID() : randomBytes(32).toString('hex').slice(0, id.length));
      made.set(id, other);
      return other;
    });
    return Buffer.from(text, 'latin1');
  });
}
