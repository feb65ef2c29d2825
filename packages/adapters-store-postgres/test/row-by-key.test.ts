import { aCreate, changes, rows } from '@gateramp/conformance';
import type { Session } from '@gateramp/core/domain';
import { objectIdTime } from '@gateramp/core/runtime';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresPartitions } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { batchedRowByKey, parseOne } from '../src/reads/row-by-key.js';
import { partitionedSchema } from './partitions/partitioned-schema.js';
import { freshSchema, testPool } from './postgres-subject.js';

const SESSIONS = 40;

let pool: pg.Pool;
let schema: string;
const ids: string[] = [];
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
  const store = postgresStore(pool, { schema });
  for (let nth = 0; nth < SESSIONS; nth += 1) {
    const change = aCreate(`row-by-key-${nth}`);
    await store.commit(change);
    ids.push(change.sessions[0]?.row.id ?? '');
  }
});
afterAll(() => pool.end());

it('sessions that are asked for together come from a few statements, each to its caller', async () => {
  const sent: string[] = [];
  const store = postgresStore(counting(sent), { schema, preparedStatements: true });
  const asked = [...ids, 'nobody’s', ids[0] ?? ''];
  const found = await Promise.all(asked.map((id) => store.find('session', rows.ACME, id)));
  expect(found.map((session) => session?.id ?? null)).toEqual([...ids, null, ids[0]]);
  expect(sent).toHaveLength(2);
});

it('asks for a session alone at once', async () => {
  const sent: string[] = [];
  const store = postgresStore(counting(sent), { schema });
  for (const id of ids.slice(0, 3)) expect(await store.find('session', rows.ACME, id)).toMatchObject({ id });
  expect(sent).toHaveLength(3);
});

it('a stranger gets nothing of what is read together with its own', async () => {
  const store = postgresStore(pool, { schema });
  const stranger = { partnerId: 'f'.repeat(24), mode: 'test' } as const;
  const [id = ''] = ids;
  const asked = [rows.ACME, stranger, { ...rows.ACME, mode: 'live' } as const];
  const found = await Promise.all(asked.map((scope) => store.find('session', scope, id)));
  expect(found.map((session) => session?.id ?? null)).toEqual([id, null, null]);
});

it('rows of different partitions come from statements that search one partition each', async () => {
  const borders = [rows.T0, rows.T0 + 1_000];
  const apart = await partitionedSchema(pool, borders);
  const writing = postgresStore(pool, { schema: apart });
  const sessions: Session[] = [];
  for (const at of [rows.T0, rows.T0 + 1, rows.T0 + 1_000, rows.T0 + 1_001]) {
    const { session, change } = changes.sessionCreation({ at });
    await writing.commit(change);
    sessions.push(session);
  }
  const sent: string[] = [];
  const store = postgresStore(counting(sent), { schema: apart });
  const asked = [...sessions.map(({ id }) => id), 'of a host'];
  const found = await Promise.all(asked.map((id) => store.find('session', rows.ACME, id)));
  expect(found.map((session) => session?.id ?? null)).toEqual([...sessions.map(({ id }) => id), null]);
  expect(sent).toHaveLength(3);
  const bounds = sent.map((text) => /id >= '([0-9a-f]*)' and id < '([0-9a-f~]*)'/.exec(text)?.slice(1) ?? null);
  expect(bounds).toEqual(
    expect.arrayContaining([borders.map(objectIdTime), [objectIdTime(rows.T0 + 1_000), '~'], null]),
  );
});

it('finds rows whose partitions were merged since they were read', async () => {
  const merged = await partitionedSchema(pool, [rows.T0, rows.T0 + 1_000]);
  const store = postgresStore(pool, { schema: merged });
  const { session, change } = changes.sessionCreation({ at: rows.T0 });
  await store.commit(change);
  expect(await store.find('session', rows.ACME, session.id)).toEqual(session);
  await postgresPartitions(pool, { schema: merged }).off();
  expect(await store.find('session', rows.ACME, session.id)).toEqual(session);
});

it('finds rows that are asked for together while a partition is divided', async () => {
  const apart = await partitionedSchema(pool, [rows.T0]);
  const border = rows.T0 + 1_000;
  const sessions: Session[] = [];
  for (const at of [rows.T0, border]) {
    const { session, change } = changes.sessionCreation({ at });
    await postgresStore(pool, { schema: apart }).commit(change);
    sessions.push(session);
  }
  const known = [
    { from: rows.T0, until: border, hasRows: true },
    { from: rows.T0, until: null, hasRows: true },
  ];
  const rowOf = batchedRowByKey(
    async (text, values) => (await pool.query<{ place: number; row: string }>(text, [...values])).rows,
    async () => known.splice(0, 1),
    apart,
  );
  const found = await Promise.all(sessions.map(({ id }) => rowOf('sessions', { scope: rows.ACME, id })));
  expect(found.map(parseOne)).toEqual(sessions);
});

it('a page that a client asks for in vain does not make others read the partitions again', async () => {
  const sent: string[] = [];
  const store = postgresStore(
    counting(sent, () => true),
    { schema: await partitionedSchema(pool, [rows.T0]) },
  );
  const filter = {
    status: null,
    flow: null,
    currency: null,
    userReference: null,
    createdAfter: null,
    createdBefore: null,
  };
  const page = { start: { kind: 'after', id: 'a\0b' }, limit: 1 } as const;
  for (const _ of [1, 2]) await expect(store.list('session', rows.ACME, filter, page, rows.T0)).rejects.toThrow();
  expect(sent.filter(readsPartitions)).toHaveLength(1);
});

it('an id that Postgres cannot look for fails alone', async () => {
  const store = postgresStore(pool, { schema });
  const found = await Promise.allSettled([...ids, 'a\0b'].map((id) => store.find('session', rows.ACME, id)));
  expect(found.map(({ status }) => status)).toEqual([...ids.map(() => 'fulfilled'), 'rejected']);
});

const readsPartitions = (text: string): boolean => text.includes('pg_inherits');

/** The pool, with statements recorded: by default all but the one that reads which partitions there are. */
function counting(sent: string[], counts = (text: string): boolean => !readsPartitions(text)): pg.Pool {
  return new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? (statement: pg.QueryConfig) => {
            if (counts(statement.text)) sent.push(statement.text);
            return target.query(statement);
          }
        : (Reflect.get(target, name, target) as unknown),
  });
}
