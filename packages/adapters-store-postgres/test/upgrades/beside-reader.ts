import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import type pg from 'pg';
import { migrate } from '../../src/index.js';
import { inSchema } from '../../src/migrations/migrations.js';
import { asSent } from './recorded-pool.js';
import type { Release, Statement } from './release.js';

/** The law's second, on top of what the slowest create took on this machine before the migration began. */
const WAIT_MAX_MS = 1_000;
const BASELINE_CREATES = 30;
const CLIENTS = 2;

/**
 * Migrates what the release left while a reader keeps its tables as `pg_dump` does, while clients of the release
 * create sessions. Returns the creates that waited for too long or failed.
 */
export async function waitsBesideReader(
  release: Release,
  pool: pg.Pool,
  schema: string,
  readerMs: number,
): Promise<readonly string[]> {
  const create = creates(release, pool, schema);
  const baseline: number[] = [];
  for (let nth = 0; nth < BASELINE_CREATES; nth += 1) baseline.push(await create());
  const limitMs = Math.max(...baseline) + WAIT_MAX_MS;
  const reader = await pool.connect();
  await reader.query('begin isolation level repeatable read, read only');
  const { rows: tables } = await reader.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
    [schema],
  );
  await reader.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
  await reader.query(`select count(*) from "${schema}".sessions`);
  const leaving = rest(readerMs).then(() => reader.query('commit'));
  const faults: string[] = [];
  let isMigrating = true;
  const migrating = migrate(pool, { schema }).finally(() => (isMigrating = false));
  const client = async (): Promise<void> => {
    while (isMigrating) {
      const tookMs = await create();
      if (tookMs > limitMs) faults.push(`a create took ${Math.round(tookMs)} ms`);
    }
  };
  await Promise.all([leaving, migrating, ...Array.from({ length: CLIENTS }, client)]);
  reader.release();
  return faults;
}

/** Repeats the first create of the release, each time with ids and a key of its own. Resolves with how long it took. */
function creates(release: Release, pool: pg.Pool, schema: string): () => Promise<number> {
  const [recorded] = release.statements.filter(
    ({ text, answer }) =>
      text.includes('gate.commit_new_rows(') && 'rows' in answer && JSON.stringify(answer.rows).includes('"answer":[]'),
  );
  if (recorded === undefined) throw new Error('The release has created nothing.');
  const text = inSchema(recorded.text, schema);
  return async () => {
    const begun = performance.now();
    const { rows } = await pool.query<{ answer: unknown }>({ text, values: ofItsOwn(recorded) });
    if (JSON.stringify(rows[0]?.answer) !== '[]') throw new Error(`A create was refused: ${JSON.stringify(rows)}`);
    return performance.now() - begun;
  };
}

const ID = /[0-9a-f]{24,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const PARTNER = /^65f0c0ffee/;

/** Ids and hashes replaced by others of the same length, the partner's excepted: values are columns of bytes. */
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
