import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { distributedSchema, rulesOf, type Rules } from './cluster-layout.js';
import { functionBodies } from './function-bodies.js';
import { violations } from './router-rules.js';

let pool: pg.Pool;
let schema: string;
let rules: Rules;
beforeAll(async () => {
  pool = await testPool();
  schema = await distributedSchema(pool);
  rules = await rulesOf(pool, schema);
});
afterAll(() => pool.end());

it('each unique index of a distributed table contains the partner', async () => {
  const { rows } = await pool.query<{ table: string; index: string }>(
    `select c.relname as table, i.relname as index from pg_index x
     join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where c.relnamespace = to_regnamespace($1) and x.indisunique and not exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'partner_id' and a.attnum = any (x.indkey::int[]))`,
    [`"${schema}"`],
  );
  const distributed = rows.filter(({ table }) => rules.placements.get(table) === 'distributed');
  expect(distributed).toEqual([]);
  expect(rows.map(({ table }) => table)).toContain('partners');
});

it('each statement of a commit, claim or result of a partner runs on one node', async () => {
  const bodies = await functionBodies(pool, schema);
  for (const name of [
    'commit_of_partner',
    'commit_audited_of_partner',
    'claim_deliveries_of_partner',
    'record_deliveries_of_partner',
    'save_audited',
    'append_audit',
  ]) {
    expect(bodies.get(name)?.length).toBeGreaterThan(1);
    for (const body of bodies.get(name) ?? [])
      expect([body.text, await violations(body, rules)]).toEqual([body.text, []]);
  }
});

const RIGHT = [
  'select 1 from s.sessions where id = $2 and partner_id = $1::text',
  'select 1 from s.sessions a join s.intents b on b.partner_id = a.partner_id where a.partner_id = $1',
  'with gone as (delete from s.tasks where partner_id = $1 returning id) select count(*) from gone',
  'select 1 from s.partners p, s.api_keys k where p.id = k.partner_id',
  'select 1 from s.leg_documents where id = $1',
  'insert into s.counters (name, value, partner_id) values ($1, $2, $3) on conflict (partner_id, name) do nothing',
  'select 1 from s.sessions where partner_id = $1 and exists (select from s.events where partner_id = $1) for update skip locked',
];

it.each(RIGHT)('accepts %s', async (text) => {
  expect(await violations({ text }, rules)).toEqual([]);
});

const WRONG: readonly (readonly [text: string, why: string])[] = [
  ['select 1 from s.sessions where id = $1', 'does not name partner_id of sessions'],
  ['select 1 from s.sessions where partner_id > $1', 'does not name partner_id of sessions'],
  ['select 1 from s.sessions where partner_id = any ($1)', 'does not name partner_id of sessions'],
  ['select 1 from s.sessions where partner_id = $1 or id = $2', 'does not name partner_id of sessions'],
  ['select 1 from s.sessions where partner_id collate "POSIX" = $1', 'does not name partner_id of sessions'],
  ['select 1 from s.sessions a, s.intents b where a.partner_id = $1', 'does not name partner_id of intents'],
  ['select 1 from s.sessions a left join s.intents b on a.partner_id = $1', 'does not name partner_id of sessions'],
  [
    'select (select 1 from s.events where id = $2) from s.sessions where partner_id = $1',
    'does not name partner_id of events',
  ],
  ['select 1 from unnest($1) k, s.sessions where partner_id = k.partner', 'does not name partner_id of sessions'],
  [
    'select 1 from s.sessions where partner_id = $1 union select 1 from s.intents',
    'does not name partner_id of intents',
  ],
  ['update s.tasks set claims = 1 where id = $1', 'does not name partner_id of tasks'],
  [
    'delete from s.tasks t using s.events e where t.partner_id = $1 and e.id = t.id',
    'does not name partner_id of events',
  ],
  ['insert into s.counters (name, value) values ($1, $2)', 'inserts into counters without a value of partner_id'],
  ['insert into s.counters (partner_id, name, value) select $1, $2, 0', 'inserts into counters from a query'],
  [
    'insert into s.counters (partner_id, name, value) values ($1, $2, (select 1))',
    'inserts into counters with a subquery',
  ],
  [
    'insert into s.counters (partner_id, name, value) values ($1, $2, 0) on conflict (name) do nothing',
    'has a conflict target of counters without partner_id',
  ],
  [
    'with kept as (insert into s.counters (partner_id, name, value) values ($1, $2, 0) returning 1) select count(*) from kept',
    'inserts within a `with`',
  ],
  [
    'select 1 from s.sessions s, s.leg_documents d where s.partner_id = $1',
    'reads a table of the coordinator together with a distributed one',
  ],
  ['vacuum s.delivery_queue', 'locks or maintains all shards of delivery_queue'],
];

it.each(WRONG)('refuses %s', async (text, why) => {
  expect(await violations({ text }, rules)).toContain(why);
});

it('takes variables of a function for values, unless the statement has a row of the same name', async () => {
  const variables = new Set(['w']);
  expect(await violations({ text: 'select 1 from s.tasks where partner_id = w.partner', variables }, rules)).toEqual(
    [],
  );
  const text = 'select 1 from json_to_recordset($1) as w(partner text), s.tasks where partner_id = w.partner';
  expect(await violations({ text, variables }, rules)).toEqual(['does not name partner_id of tasks']);
});
