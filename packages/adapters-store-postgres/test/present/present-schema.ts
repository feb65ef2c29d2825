import type pg from 'pg';

/**
 * What is in a schema, as SQL to read: one file a table, with its indexes, and one a function. It is read from the
 * catalogs, so it says what the migrations came to, whatever they did on the way. The schema is called `gate` in it, as
 * in the migrations.
 */
export async function presentSchema(pool: pg.Pool, schema: string): Promise<ReadonlyMap<string, string>> {
  const tables = await pool.query<Named>(TABLES, [schema]);
  const functions = await pool.query<Named>(FUNCTIONS, [schema]);
  const files = new Map<string, string[]>();
  const add = (folder: string, { name, text }: Named): void => {
    const path = `${folder}/${name.replaceAll('_', '-')}.sql`;
    files.set(path, [...(files.get(path) ?? []), asGate(text, schema)]);
  };
  for (const table of tables.rows) add('tables', table);
  for (const one of functions.rows) add('functions', one);
  return new Map([...files].map(([path, texts]) => [path, `${texts.join('\n\n')}\n`]));
}

interface Named {
  readonly name: string;
  readonly text: string;
}

function asGate(text: string, schema: string): string {
  return text.replaceAll(`"${schema}".`, 'gate.').replaceAll(`${schema}.`, 'gate.');
}

/** A comment of the catalogs as a line above what it is about. */
const aboveIt = (comment: string, indent: string): string =>
  `coalesce(${indent} || '-- ' || replace(${comment}, E'\\n', E'\\n' || ${indent} || '-- ') || E'\\n', '')`;

const COLUMNS = `
  select string_agg(
      ${aboveIt('col_description(a.attrelid, a.attnum)', "'  '")}
        || '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attcollation <> t.typcollation then ' collate "' || l.collname || '"' else '' end
        || case when a.attnotnull then ' not null' else '' end
        || case when d.adbin is null then '' when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
             else ' default ' || pg_get_expr(d.adbin, d.adrelid) end, E',\\n' order by a.attnum)
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_collation l on l.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

/** Postgres 18 keeps not null among the constraints too; it is said with the column. */
const CONSTRAINTS = `
  select string_agg(E',\\n  ' || lower(left(pg_get_constraintdef(k.oid), strpos(pg_get_constraintdef(k.oid), '(') - 1))
      || substr(pg_get_constraintdef(k.oid), strpos(pg_get_constraintdef(k.oid), '(')), '' order by k.contype, k.conname)
    from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'`;

const INDEXES = `
  select string_agg(E'\\n\\n' || ${aboveIt("obj_description(i.indexrelid, 'pg_class')", "''")}
      || 'create ' || case when i.indisunique then 'unique ' else '' end || 'index ' || x.relname || ' on gate.' || c.relname
      || E'\\n  (' || (select string_agg(pg_get_indexdef(i.indexrelid, n, false)
             || coalesce((select ' collate "' || l.collname || '"' from pg_collation l where l.oid = i.indcollation[n - 1]
                  and l.oid <> coalesce((select a.attcollation from pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[n - 1]), l.oid)), ''),
             ', ' order by n) from generate_series(1, i.indnatts::int) n) || ')'
      || coalesce(E'\\n  where ' || pg_get_expr(i.indpred, i.indrelid), '') || ';', '' order by x.relname)
    from pg_index i join pg_class x on x.oid = i.indexrelid
    where i.indrelid = c.oid and not i.indisprimary`;

const TABLES = `
  select c.relname as name,
      ${aboveIt("obj_description(c.oid, 'pg_class')", "''")}
      || 'create table gate.' || c.relname || E' (\\n' || (${COLUMNS}) || coalesce((${CONSTRAINTS}), '') || E'\\n)'
      || coalesce(' with (' || replace(array_to_string(c.reloptions, ', '), '=', ' = ') || ')', '') || ';' || coalesce((${INDEXES}), '') as text
    from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> 'migrations' order by c.relname`;

const FUNCTIONS = `
  select p.proname as name,
      ${aboveIt("obj_description(p.oid, 'pg_proc')", "''")}
      || 'create function gate.' || p.proname || E'(\\n  ' || replace(pg_get_function_arguments(p.oid), ', ', E',\\n  ')
      || E'\\n) returns ' || case when p.proretset and p.prorettype = 'record'::regtype
           then E'table (\\n  ' || replace(rtrim(substr(pg_get_function_result(p.oid), 7), ')'), ', ', E',\\n  ') || E'\\n)'
           else lower(pg_get_function_result(p.oid)) end
      || E'\\nlanguage ' || l.lanname
      || case p.provolatile when 'i' then ' immutable' when 's' then ' stable' else '' end
      || case when p.proisstrict then ' strict' else '' end
      || case p.proparallel when 's' then ' parallel safe' else '' end
      || coalesce((select string_agg(E'\\nset ' || replace(s, '=', ' = '), '' order by s) from unnest(p.proconfig) as s), '')
      || E'\\nas $$' || p.prosrc || '$$;' as text
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = $1::regnamespace order by p.proname, pg_get_function_identity_arguments(p.oid)`;
