import type { JsonText, Session } from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { aCreate, keyRef, rows } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
let store: Store;
/** The functions of the store that were called. */
let called: string[];
beforeAll(async () => {
  pool = await testPool();
});
beforeEach(async () => {
  schema = await freshSchema(pool);
  called = [];
  store = postgresStore(spied(pool), { schema });
});
afterAll(() => pool.end());

const SCHEDULER = { wake: () => undefined, start: async () => undefined, close: async () => undefined };

it('creates leave the same rows whichever way they are committed', async () => {
  const changes: readonly Change[] = [
    aCreate('plain'),
    { ...aCreate('no key'), idempotency: null },
    { ...aCreate('no delivery'), deliveries: [] },
    withSession(aCreate('user'), { userReference: 'user "1"', metadata: '{"a": "\\"ü\\""}' as JsonText }),
    whereEndpointSet(aCreate('endpoint')),
  ];
  for (const outcome of await Promise.all(changes.map((change) => store.commit(change))))
    expect(outcome).toEqual({ kind: 'committed' });
  expect(called).toEqual(['commit_new_rows']);

  const other = await freshSchema(pool);
  const client = await pool.connect();
  const full = withTransaction(client, { schema: other, scheduler: SCHEDULER }).store;
  for (const change of changes) expect(await full.commit(change)).toEqual({ kind: 'committed' });
  client.release();
  const written = await contents(schema);
  expect(written).toEqual(await contents(other));
  expect(written.map((table) => table.length)).toEqual([4, 5, 5, 3, 3]);
});

it('a create whose key is taken is answered what the key holds, and those next to it are committed', async () => {
  await store.commit(aCreate('taken'));
  const outcomes = await Promise.all(['a', 'taken', 'b'].map((key) => store.commit(aCreate(key))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'replay', 'committed']);
  expect((await contents(schema)).map((table) => table.length)).toEqual([3, 3, 3, 3, 3]);
});

it('a create takes over a key that has expired', async () => {
  const create = aCreate('old');
  await store.commit(lapsed(create));
  expect(await store.commit(aCreate('old'))).toEqual({ kind: 'committed' });
  expect(called).toEqual(['commit_new_rows', 'commit_new_rows']);
  expect(await store.findReply(keyRef('old'), rows.T0)).not.toMatchObject({ reply: replyOf(create) });
});

it('what is not as new rows are goes the full way', async () => {
  const others: readonly Change[] = [
    withSession(aCreate('held'), { heldSince: rows.T0 }),
    { ...aCreate('marked'), once: ['mark'] },
    leased(aCreate('leased')),
    emptyChange(rows.ACME, rows.T0),
  ];
  for (const change of others) expect(await store.commit(change)).toEqual({ kind: 'committed' });
  expect(new Set(called)).toEqual(new Set(['commit_changes']));
});

function spied(target: pg.Pool): pg.Pool {
  return new Proxy(target, {
    get: (from, name) => {
      if (name !== 'query') return Reflect.get(from, name, from);
      return (statement: pg.QueryConfig) => {
        called.push(/"\.(commit_\w+)\(/.exec(statement.text)?.[1] ?? statement.text);
        return from.query(statement);
      };
    },
  });
}

/** Every row that a create may insert, by table. */
async function contents(of: string): Promise<readonly (readonly unknown[])[]> {
  const tables = ['idempotency_keys', 'sessions', 'events', 'deliveries', 'delivery_queue'];
  return Promise.all(
    tables.map(async (table) => (await pool.query(`select t::text as row from "${of}"."${table}" t order by 1`)).rows),
  );
}

function withSession(change: Change, traits: Partial<Session>): Change {
  return { ...change, sessions: change.sessions.map((write) => ({ ...write, row: { ...write.row, ...traits } })) };
}

function whereEndpointSet(change: Change): Change {
  return { ...change, deliveries: change.deliveries.map(({ row }) => ({ row, when: 'endpoint_set' })) };
}

function leased(change: Change): Change {
  return {
    ...change,
    deliveries: change.deliveries.map((write) => ({
      ...write,
      row: { ...write.row, leaseToken: 'token', leaseUntil: rows.T0 },
    })),
  };
}

function lapsed(change: Change): Change {
  return {
    ...change,
    idempotency: change.idempotency === null ? null : { ...change.idempotency, expiresAt: rows.T0 - 1 },
  };
}

function replyOf({ idempotency }: Change): string | null {
  return idempotency?.state.kind === 'sealed' ? idempotency.state.reply : null;
}
