import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { ACCEPTED, createTestGate, REFUSED, type TestGate, type TestResponse } from '@gateramp/testing';
import type pg from 'pg';
import { postgresSandboxLedger, postgresStore } from '../../src/index.js';
import type { Release } from './release.js';

/** A process of the checked-out version. Data that a test gate keeps in memory outside the store is in the database here. */
export function aShop(pool: pg.Pool, schema: string, seed: string, startAt?: number): Promise<TestGate> {
  const ports = {
    store: postgresStore(pool, { schema }),
    providers: [sandboxProvider({ ledger: postgresSandboxLedger(pool, { schema }) })],
  };
  return createTestGate({ ports, seed, ...(startAt === undefined ? {} : { startAt }) });
}

const SCENARIOS = ['succeed', 'decline', 'kyc_required', 'processing', 'settlement_error', 'abandon'] as const;

/** Some of everything that a database may contain: each state of a session, and deliveries that wait, fail, or are dead-lettered. */
export async function fill(t: TestGate): Promise<void> {
  t.gate.on('gate_session.completed', 'grant-value', () => undefined);
  t.receiver.answerWith(({ body }) => (body.includes('"refused":"always"') ? REFUSED : ACCEPTED));
  for (const scenario of SCENARIOS)
    await simulate(t, (await t.createSession({ metadata: { b: 1, a: [scenario] } })).id, scenario);
  await t.createSession({ metadata: { refused: 'always' }, user_reference: 'user-1' });
  await t.clock.advance('3h');
  await cancel(t, (await t.createSession({ user_reference: 'user-1' })).id);
  await t.clock.advance('25h');
  await create(t, 'key-before', '10.00');
  await create(t, 'key-live', '10.00', 'live');
  await t.createSession({ metadata: { refused: 'always' } });
  await simulate(t, (await t.createSession({ flow: 'on_ramp' })).id, 'abandon');
  // Still to be settled, delivered and retried when the recording begins.
  t.receiver.answerWith(() => REFUSED);
  for (const scenario of SCENARIOS) await simulate(t, (await t.createSession()).id, scenario);
  await t.clock.advance('1s');
}

/** All kinds of requests and work of a process. */
export async function trade(t: TestGate): Promise<void> {
  t.receiver.answerWith(() => ACCEPTED);
  await create(t, 'key-before', '10.00');
  await create(t, 'key-before', '11.00');
  await create(t, 'key-after', '12.00');
  const open = await ids(t, '/v1/gate_sessions?limit=100&status=open', 'id');
  for (const id of open.slice(0, 3)) await cancel(t, id);
  await t.clock.advance('2m');
  for (const scenario of ['succeed', 'decline', 'processing'])
    await simulate(t, (await t.createSession({ user_reference: 'user-2' })).id, scenario);
  await answers(t, 3);
  await t.clock.advance('20h');
  await create(t, 'key-before', '10.00');
}

const LISTS = [
  '/v1/gate_sessions?limit=100',
  ...['open', 'completed', 'cancelled', 'expired'].map((status) => `/v1/gate_sessions?limit=100&status=${status}`),
  '/v1/gate_sessions?limit=3&user_reference=user-2',
  '/v1/transactions?limit=100',
  '/v1/transactions?limit=2&status=completed',
];

/** Everything that a partner reads: the lists, and single rows of complete lists. */
export async function answers(t: TestGate, rowsMax = 100): Promise<Release['answers']> {
  const read: Release['answers'][number][] = [];
  const get = async (path: string): Promise<TestResponse> => {
    const response = await t.request('GET', path, { key: t.keys.secret.test });
    const { url: _, ...json } = response.json;
    read.push({ path, status: response.status, json });
    return response;
  };
  for (const path of LISTS) await get(path);
  for (const id of await ids(t, '/v1/gate_sessions?limit=100', 'id', rowsMax)) await get(`/v1/gate_sessions/${id}`);
  for (const id of await ids(t, '/v1/transactions?limit=100', 'refid', rowsMax)) await get(`/v1/transactions/${id}`);
  return read;
}

async function ids(t: TestGate, path: string, id: string, max = 100): Promise<readonly string[]> {
  const { json } = await t.request('GET', path, { key: t.keys.secret.test });
  // A list of the contract.
  return (json['data'] as readonly Readonly<Record<string, string>>[]).slice(0, max).map((row) => row[id] ?? '');
}

function create(
  t: TestGate,
  idempotencyKey: string,
  amount: string,
  mode: 'test' | 'live' = 'test',
): Promise<TestResponse> {
  const body = { amount, currency: 'EUR', return_url: 'https://shop.example/done' };
  return t.request('POST', '/v1/gate_sessions', { key: t.keys.secret[mode], mode, idempotencyKey, body });
}

function cancel(t: TestGate, id: string): Promise<TestResponse> {
  return t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test });
}

function simulate(t: TestGate, id: string, scenario: string): Promise<TestResponse> {
  const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
  return t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
}
