import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate } from '@gateramp/adapters-store-postgres';
import { migrateCitus } from '../src/index.js';
import { aSchemaName } from '../../adapters-store-postgres/test/postgres-subject.js';

const FILE = join(import.meta.dirname, '../sql/distribute.sql');

/** Where Citus keeps the rows of a table: by partner, on all nodes, or on the coordinator only. */
export type Placement = 'distributed' | 'reference' | 'local';

/** The tables that `distribute.sql` distributes or copies to all nodes; all others are local. */
function placements(): ReadonlyMap<string, Placement> {
  const found = new Map<string, Placement>();
  const call = /create_(distributed|reference)_table\('gateramp\.(\w+)'/g;
  for (const [, kind, table = ''] of readFileSync(FILE, 'utf8').matchAll(call))
    found.set(table, kind === 'distributed' ? 'distributed' : 'reference');
  return found;
}

/**
 * A migrated schema with the keys of `distribute.sql`. The functions of Citus are replaced by ones that only check what Postgres can check:
 * the table, the column and the function exist.
 */
export async function distributedSchema(pool: pg.Pool): Promise<string> {
  const schema = aSchemaName();
  await migrate(pool, { schema });
  await distribute(pool, schema);
  return schema;
}

/** Adds the functions for distributed tables to a migrated schema, and changes its keys, with its rows. */
export async function distribute(pool: pg.Pool, schema: string): Promise<void> {
  await migrateCitus(pool, { schema });
  const client = await pool.connect();
  try {
    const text = readFileSync(FILE, 'utf8')
      .replaceAll('gateramp.', `"${schema}".`)
      .replaceAll(
        /\b(create_(distributed|reference)_(table|function)|truncate_local_data_after_distributing_table)\(/g,
        'pg_temp.$1(',
      );
    await client.query(STAND_INS);
    await client.query(text);
  } finally {
    client.release(true);
  }
}

const STAND_INS = `
  create function pg_temp.truncate_local_data_after_distributing_table(target regclass) returns void language sql as 'select';
  create function pg_temp.create_reference_table(target regclass) returns void language sql as 'select';
  create function pg_temp.create_distributed_table(target regclass, distribution text, colocate_with text) returns void language plpgsql as $$
  begin
    if colocate_with <> 'none' then perform colocate_with::regclass; end if;
    if not exists (select from pg_attribute where attrelid = target and attname = distribution and attnotnull and attgenerated = '') then
      raise '% cannot be distributed by %', target, distribution;
    end if;
  end $$;
  create function pg_temp.create_distributed_function(target regprocedure) returns void language sql as 'select';
  create function pg_temp.create_distributed_function(target regprocedure, distribution text, colocate_with text) returns void language plpgsql
  as $$
  begin
    perform colocate_with::regclass;
    if not exists (select from pg_proc where oid = target and distribution = any (proargnames)) then
      raise '% has no argument %', target, distribution;
    end if;
  end $$;`;

export interface Rules {
  readonly placements: ReadonlyMap<string, Placement>;
  /** The names of the schema's own tables. */
  readonly tables: ReadonlySet<string>;
}

export async function rulesOf(pool: pg.Pool, schema: string): Promise<Rules> {
  const { rows } = await pool.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    schema,
  ]);
  return { placements: placements(), tables: new Set(rows.map(({ name }) => name)) };
}
