import { memoryStore } from '@gateramp/adapters-store-memory';
import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { createTestGate, TEST_KEYS, TEST_PARTNER, type TestGateOptions } from '@gateramp/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { ask, signedIn, testConsole } from './console.js';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const HOUR = 3_600_000;

interface Hour {
  readonly from: string;
  readonly sessions: Readonly<Record<'created' | 'completed', { count: number }>>;
  readonly deliveries: Readonly<Record<'delivered' | 'failed', { count: number }>>;
}

interface Activity {
  readonly now: string;
  readonly from: string;
  readonly hours: readonly Hour[];
}

interface Totals {
  readonly payments: Readonly<Record<string, { readonly count: number; readonly more: boolean }>>;
  readonly money: readonly { readonly currency: string }[];
}

/** A shop whose endpoint fails when told to. */
async function shop(ports: TestGateOptions = {}) {
  const test = await createTestGate(ports);
  const { gate, receiver, request } = test;
  await gate.admin.setEndpoint(SCOPE, { url: 'https://shop.example/hook', secret: 'whsec_0123456789abcdef0123' });
  const answer = { status: 200 };
  receiver.answerWith(() => ({ responseStatus: answer.status, responseBody: '', error: null }));
  const console = testConsole(gate);
  const create = async (amount = '100.00'): Promise<string> => {
    const made = await gate.sessions.create(SCOPE, { amount, currency: 'EUR', return_url: 'https://shop.example/' });
    if (made.isErr()) throw new Error(made.error.message);
    return made.value.id;
  };
  const simulate = async (id: string, scenario: string): Promise<void> => {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    const { status, text } = await request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario } });
    if (status !== 200) throw new Error(text);
  };
  const read = async <Answer>(path: string): Promise<Answer> => {
    const answered = await ask(console, path, { cookie: await signedIn(console, TEST_PARTNER.id) });
    if (answered.status !== 200) throw new Error(await answered.text());
    return (await answered.json()) as Answer;
  };
  return {
    ...test,
    answer,
    create,
    simulate,
    read,
    activity: () => read<Activity>('/activity'),
    totals: () => read<Totals>('/totals'),
  };
}

const total = (hours: readonly Hour[], count: (hour: Hour) => { count: number }): number =>
  hours.reduce((sum, hour) => sum + count(hour).count, 0);

async function onPostgres(): Promise<TestGateOptions> {
  const pool = await testPool(4);
  onTestFinished(() => pool.end());
  const schema = await freshSchema(pool);
  return { ports: { store: postgresStore(pool, { schema }), operator: postgresOperator(pool, { schema }) } };
}

/** Not every store counts faster than it lists. */
async function withoutCounts(): Promise<TestGateOptions> {
  const { counts: _, ...store } = memoryStore();
  return { ports: { store, operator: store } };
}

describe.each([
  ['memory', async () => ({})],
  ['Postgres', onPostgres],
  ['a store without counts', withoutCounts],
])('activity on %s', (_, ports) => {
  it('counts sessions and deliveries in the hour of their creation, and forgets what is a day old', async () => {
    const { gate, clock, answer, create, simulate, activity, totals } = await shop(await ports());
    expect((await totals()).money).toEqual([]);
    await simulate(await create(), 'succeed');
    await create();
    await gate.runDue();
    await clock.advance('3h');
    answer.status = 500;
    await gate.webhooks.test(SCOPE);
    await gate.runDue();
    await create();
    const { now, from, hours } = await activity();
    expect(hours).toHaveLength(24);
    expect(new Date(from).getTime() % HOUR).toBe(0);
    expect(hours.map((hour) => Date.parse(hour.from))).toEqual(
      hours.map((_one, hour) => Date.parse(from) + hour * HOUR),
    );
    expect(Date.parse(now) - Date.parse(hours.at(-1)?.from ?? '')).toBeLessThan(HOUR);
    const [past, last] = [hours.at(-4), hours.at(-1)];
    expect(past?.sessions).toMatchObject({ created: { count: 2 }, completed: { count: 1 } });
    expect(past?.deliveries.delivered.count).toBeGreaterThan(0);
    expect(past?.deliveries.failed.count).toBe(0);
    expect(last?.sessions).toMatchObject({ created: { count: 1 }, completed: { count: 0 } });
    expect(last?.deliveries).toMatchObject({ delivered: { count: 0 }, failed: { count: 1 } });
    expect(total(hours, ({ sessions }) => sessions.created)).toBe(3);
    expect((await totals()).payments['completed']).toEqual({ count: 1, more: false });
    await clock.advance('2d');
    const later = await activity();
    expect(total(later.hours, ({ sessions }) => sessions.created)).toBe(0);
    expect((await totals()).money).toEqual([]);
  });

  it('adds up the money of payments exactly, by currency and by what became of it', async () => {
    const { create, simulate, totals, gate } = await shop(await ports());
    for (const amount of ['100.10', '100.20']) await simulate(await create(amount), 'succeed');
    await simulate(await create('50.00'), 'decline');
    await simulate(await create('20.50'), 'processing');
    const back = await create('10.00');
    await simulate(back, 'succeed');
    const paid = await gate.transactions.list(SCOPE, { status: 'completed', limit: 10 });
    const currency = paid.map(({ data }) => data[0]?.destination.currency ?? '').unwrapOr('');
    await simulate(back, 'charged_back');
    const { money, payments } = await totals();
    expect(payments).toMatchObject({
      completed: { count: 2 },
      charged_back: { count: 1 },
      failed: { count: 1 },
      processing: { count: 1 },
    });
    expect(money).toContainEqual({
      ...{ currency: 'EUR', received: '200.3', paid_out: '0' },
      ...{ in_progress: '20.5', returned: '10' },
    });
    expect(money.map((one) => one.currency)).toEqual(['EUR', currency].toSorted());
  });
});

describe('money held', () => {
  it('is the exact sum of sessions in progress, for a partner and for operators', async () => {
    const { create, simulate, read, gate } = await shop();
    for (const amount of ['100.10', '100.20']) await simulate(await create(amount), 'processing');
    await create('70.00');
    expect(await read('/totals')).toMatchObject({ money: [{ currency: 'EUR', in_progress: '200.3' }] });
    const held = async (partners: readonly string[] | 'all') => {
      const console = testConsole(gate, { authorize: () => ({ actor: 'olga', roles: ['viewer'], partners }) });
      return (await ask(console, '/held_money')).json();
    };
    expect(await held('all')).toEqual({
      sessions: { count: 2, more: false, amounts: [{ mode: 'test', currency: 'EUR', amount: '200.3' }] },
      operations: null,
    });
    expect(await held(['other'])).toMatchObject({ sessions: { count: 0, amounts: [] } });
  });
});
