import type pg from 'pg';

/**
 * The contents of a schema, a line for each: tables with their columns, constraints, indexes, triggers and settings, functions with their
 * settings and bodies, and grants. Comments and layout are left out.
 */
export async function describedSchema(pool: pg.Pool, schema: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(FACTS, [schema]);
  return rows
    .map(({ line }) => withoutLayout(line.replaceAll(new RegExp(`"?\\b${schema}\\b"?\\.`, 'g'), 'gate.')))
    .sort();
}

function withoutLayout(text: string): string {
  return text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim();
}

const FACTS = `
  with tables as (
    select c.* from pg_class c where c.relnamespace = $1::regnamespace and c.relname not like 'migrations%')
  select format('table %s %s %s %s', relname, relkind, relpersistence, array_to_string(reloptions, ', ')) as line
    from tables where relkind in ('r', 'p', 'v', 'S')
  union all
  select format('column %s.%s %s: %s collate %s%s%s %s %s', t.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
      (select collname from pg_collation where oid = a.attcollation), case when a.attnotnull then ' not null' end,
      case when a.atthasdef then ' ' || pg_get_expr(d.adbin, d.adrelid) end, a.attgenerated, a.attidentity)
    from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where t.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all
  select format('constraint %s of %s: %s', o.conname, t.relname, pg_get_constraintdef(o.oid))
    from tables t join pg_constraint o on o.conrelid = t.oid
  union all
  select format('index %s: %s %s %s', t.relname, pg_get_indexdef(i.indexrelid), array_to_string(t.reloptions, ', '), i.indisvalid)
    from tables t join pg_index i on i.indexrelid = t.oid
  union all
  select format('trigger %s', pg_get_triggerdef(g.oid)) from tables t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
  union all
  select format('grants on %s: %s', relname, relacl) from tables where relacl is not null
  union all
  select format('function %s %s', pg_get_functiondef(p.oid), p.proacl) from pg_proc p where p.pronamespace = $1::regnamespace`;
