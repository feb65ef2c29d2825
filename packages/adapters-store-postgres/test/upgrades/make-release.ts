import type { HostName } from '../../../conformance/src/http/operations.js';
import type pg from 'pg';
import { recorded } from './recorded-pool.js';
import { fingerprints, type Release, type Statement, type TableRow } from './release.js';
import { answers, aShop, fill, trade } from './shop-life.js';
import { operationOf, OPERATIONS } from '../../../../tests/contract/kit.js';

/** Creates the release of the checked-out version, from an empty schema. `pool` has one connection. */
export async function makeRelease(version: string, pool: pg.Pool, schema: string): Promise<Release> {
  const before = await aShop(pool, schema, 'fill');
  await fill(before);
  const rows = await rowsOf(pool, schema);
  const statements: Statement[] = [];
  const after = await aShop(recorded(pool, schema, statements), schema, 'trade', before.clock.now('test'));
  await trade(after);
  const asked = [...statements];
  const all = await answers(after);
  const missing = unread(all);
  if (missing.length > 0) throw new Error(`The recording has no rows for ${missing.join(', ')}.`);
  return {
    version,
    migrations: fingerprints(),
    now: after.clock.now('test'),
    answers: all,
    rows,
    // The current time differs on every run, and is not read from a table.
    statements: asked.filter(({ text, answer }) => 'error' in answer || answer.rows === null || text.includes('gate.')),
  };
}

const HOSTS: readonly HostName[] = ['test', 'pools'];

/** Reads of stored rows that no answer is of, so that a new resource gets its rows in the next release. */
function unread(all: Release['answers']): readonly string[] {
  const read = all.flatMap(({ path }) => HOSTS.map((host) => operationOf('GET', path, host)?.name));
  return OPERATIONS.filter(({ method, security }) => method === 'GET' && security.length > 0)
    .map(({ name }) => name)
    .filter((name) => !/capabilities|test_helpers/.test(name) && !read.includes(name));
}

async function rowsOf(pool: pg.Pool, schema: string): Promise<readonly TableRow[]> {
  const { rows: columns } = await pool.query<{ table: string; names: readonly string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as names
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname order by c.relname`,
    [schema],
  );
  const rows: TableRow[] = [];
  for (const { table, names } of columns) {
    const texts = names.map((name) => `"${name}"::text as "${name}"`).join(', ');
    const { rows: found } = await pool.query<TableRow['row']>(
      `select ${texts} from ${schema}."${table}" order by ctid`,
    );
    rows.push(...found.map((row) => ({ table, row })));
  }
  return rows;
}
