import net from 'node:net';
import type { Store } from '@gateramp/core/ports';
import { createTestGate, TEST_KEYS } from '@gateramp/testing';
import { aCreate, rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterEach, beforeAll, afterAll, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

const CONNECTIONS = 8;
const NO_FILTER = { status: null, flow: null, userReference: null, createdAfter: null, createdBefore: null };
const PAGE = { start: { kind: 'newest' }, limit: 10 } as const;
const anOutage: unknown = expect.objectContaining({ outage: true });

/** A pool on which an unavailable connection is an error, rather than a wait for those that are stuck. */
let pool: pg.Pool;
/** Another one, for the blocking transaction. */
let others: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await testDatabaseUrl(), max: CONNECTIONS, connectionTimeoutMillis: 20_000 });
  others = await testPool();
  schema = await freshSchema(others);
});
let letGo: () => Promise<void> = async () => undefined;
afterEach(() => letGo());
afterAll(async () => {
  await Promise.all([pool.end(), others.end()]);
});

it('a commit finds a connection however many reads of keys and of lists are stuck', async () => {
  const store = postgresStore(pool, { schema, pageTimeoutMs: 60_000 });
  await lock('transactions');
  const stuck = Array.from({ length: 40 }, (_, nth) =>
    nth % 2 === 0 ? listTransactions(store) : store.find('transaction', rows.ACME, 'any'),
  );
  expect(await store.commit(aCreate('during reads'))).toEqual({ kind: 'committed' });
  await letGo();
  expect(await Promise.all(stuck)).toHaveLength(40);
});

it('a read of a key finds a connection however many lists are stuck', async () => {
  const store = postgresStore(pool, { schema, pageTimeoutMs: 60_000 });
  await lock('transactions');
  const stuck = Array.from({ length: 40 }, () => listTransactions(store));
  expect(await store.find('session', rows.ACME, 'any')).toBeNull();
  await letGo();
  await Promise.all(stuck);
});

it('a page that takes too long is given up by Postgres itself, and so are those in line; other statements may take their time', async () => {
  const store = postgresStore(pool, { schema, pageTimeoutMs: 1_000 });
  await lock('transactions');
  const slow = store.find('transaction', rows.ACME, 'any');
  const pages = await Promise.allSettled(Array.from({ length: 20 }, () => listTransactions(store)));
  for (const page of pages) expect(page).toMatchObject({ status: 'rejected', reason: anOutage });
  const waiting = `select count(*)::int as n from pg_stat_activity where query like '%"${schema}".transactions%' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await others.query(waiting)).rows).toEqual([{ n: 1 }]);
  await letGo();
  expect(await slow).toBeNull();
  await expect.poll(() => listTransactions(store).catch(() => null)).toEqual([]);
});

it('a server that falls silent keeps no place of a page: once it is back, lists are answered again', async () => {
  const wire = await silenceableWire(new URL(await testDatabaseUrl()));
  const behind = new pg.Pool({ connectionString: wire.url, max: 5, connectionTimeoutMillis: 1_000 });
  const store = postgresStore(behind, { schema, queryTimeoutMs: 1_000, pageTimeoutMs: 700 });
  // A machine that stands still for a second makes a list take too long as well.
  const listed = () => listTransactions(store).catch(() => null);
  await expect.poll(listed).toEqual([]);
  wire.silence(true);
  for (let nth = 0; nth < 3; nth += 1) await expect(listTransactions(store)).rejects.toEqual(anOutage);
  wire.silence(false);
  await expect.poll(listed).toEqual([]);
  await behind.end();
  await wire.close();
});

it('leaves no setting behind in the connections it used', async () => {
  const store = postgresStore(pool, { schema });
  await Promise.all(Array.from({ length: CONNECTIONS }, () => listTransactions(store)));
  for (let nth = 0; nth < CONNECTIONS; nth += 1) {
    const { rows: settings } = await pool.query(
      `select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as reads`,
    );
    expect(settings).toEqual([{ timeout: '0', reads: 'off' }]);
  }
});

it('answers 503 in the envelope when a list is given up', async () => {
  const own = await freshSchema(others);
  const t = await createTestGate({ ports: { store: postgresStore(pool, { schema: own, pageTimeoutMs: 50 }) } });
  await lock('sessions', own);
  const answer = await t.request('GET', '/v1/gate_sessions?currency=EUR', { key: TEST_KEYS.secret.test });
  expect([answer.status, answer.json]).toMatchObject([503, { type: 'server_error', code: 'service_unavailable' }]);
});

/** A connection to the server that transfers nothing while it is silent, without being closed. */
async function silenceableWire(target: URL) {
  let isSilent = false;
  const sockets = new Set<net.Socket>();
  const relay = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => void (isSilent || to.write(chunk)));
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  // Listening on TCP, it has an address object.
  url.port = String((relay.address() as net.AddressInfo).port);
  return {
    url: url.href,
    silence: (silent: boolean) => void (isSilent = silent),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** Makes every statement that uses the table wait until `letGo`. */
async function lock(table: string, of = schema): Promise<void> {
  const holder = await others.connect();
  await holder.query(`begin; lock table "${of}".${table}`);
  letGo = async () => {
    letGo = async () => undefined;
    await holder.query('commit');
    holder.release();
  };
}

function listTransactions(store: Store): Promise<readonly unknown[]> {
  return store.list('transaction', rows.ACME, { ...NO_FILTER, sessionId: null }, PAGE);
}
