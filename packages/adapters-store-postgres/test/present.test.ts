import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshSchema, testPool } from './postgres-subject.js';
import { presentSchema } from './present/present-schema.js';

const folder = fileURLToPath(new URL('../sql/present', import.meta.url));

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('sql/present shows the tables and functions that the migrations make, and nothing else (npm run sql writes it)', async () => {
  const made = await presentSchema(pool, await freshSchema(pool));
  if (process.env['GATERAMP_WRITE_SQL'] === '1') write(made);
  expect(Object.fromEntries(shown())).toEqual(Object.fromEntries(made));
});

it('shows what is there: a table with its columns, keys, indexes and remarks, and a function with its settings', async () => {
  const schema = await freshSchema(pool);
  await pool.query(`
    create table ${schema}.extra (id text collate "C" primary key, at bigint not null default 0, n numeric check (n > 0))
      with (fillfactor = 80);
    comment on table ${schema}.extra is 'Of the table.';
    comment on column ${schema}.extra.at is 'Of the column.';
    create index extra_at on ${schema}.extra (at, (id collate "POSIX")) where at > 0;
    create function ${schema}.extra(p_id text) returns bigint language sql stable set jit = off as $$
      select at from "${schema}".extra where id = p_id
    $$`);
  const present = await presentSchema(pool, schema);
  expect(present.get('tables/extra.sql')).toBe(
    `-- Of the table.
create table gate.extra (
  id text collate "C" not null,
  -- Of the column.
  at bigint not null default 0,
  n numeric,
  check ((n > (0)::numeric)),
  primary key (id)
) with (fillfactor = 80);

create index extra_at on gate.extra
  (at, id collate "POSIX")
  where (at > 0);
`,
  );
  expect(present.get('functions/extra.sql')).toBe(
    `create function gate.extra(
  p_id text
) returns bigint
language sql stable
set jit = off
as $$
      select at from gate.extra where id = p_id
    $$;
`,
  );
});

function shown(): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sql'));
  return new Map(files.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]));
}

function write(made: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of made) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
