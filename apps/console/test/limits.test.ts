import type { Delivery } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { createTestGate, TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import type { Gate } from '../src/server/gate.js';
import { describe, expect, it } from 'vitest';
import type { ConsoleLegs, LegOperationView } from '../src/server/legs-port.js';
import { ask, testConsole } from './console.js';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const NEWEST = { start: { kind: 'newest' }, limit: 1 } as const;
const ALWAYS = { createdAfter: null, createdBefore: null } as const;

/** A payment of 100.10 euros in this scenario. `copy` stores copies of it and of a delivery, each with a task that is due. */
async function onePayment(scenario: 'succeed' | 'processing') {
  const test = await createTestGate();
  const { gate, store, clock } = test;
  const { id } = await test.createSession({ amount: '100.10', currency: 'EUR' });
  const simulate = `/v1/test_helpers/gate_sessions/${id}/simulate`;
  await test.request('POST', simulate, { key: TEST_KEYS.secret.test, body: { scenario } });
  const session = await store.find('session', SCOPE, id);
  const payments = { status: null, flow: null, sessionId: id, userReference: null, ...ALWAYS };
  const [transaction] = await store.list('transaction', SCOPE, payments, NEWEST);
  const sent = { target: 'webhook', status: null, eventType: null, eventId: null, sessionId: id, ...ALWAYS } as const;
  const [record] = await store.list('delivery', SCOPE, sent, NEWEST);
  if (session === null || transaction === undefined || record === undefined) throw new Error('Nothing was paid.');
  let copies = 0;
  const copy = async (count: number, delivery: Partial<Delivery> = {}): Promise<void> => {
    const now = gate.clock.now(SCOPE);
    const copyIds = Array.from({ length: count }, (_, nth) => {
      // No id contains an x, so that a copy never has the id of an original.
      const end = `x${String(copies + nth).padStart(5, '0')}`;
      return (original: string) => `${original.slice(0, -end.length)}${end}`;
    });
    copies += count;
    const task = { ...SCOPE, kind: 'quota_check', status: 'pending', leaseToken: null, leaseUntil: null } as const;
    const outcome = await store.commit({
      ...emptyChange(SCOPE, now),
      sessions: copyIds.map((idOf) => ({ row: { ...session, id: idOf(id), version: 1 }, expectedVersion: null })),
      transactions: copyIds.map((idOf) => ({
        row: { ...transaction, refid: idOf(transaction.refid), version: 1 },
        expectedVersion: null,
      })),
      deliveries: copyIds.map((idOf) => ({
        row: { ...record.delivery, ...delivery, id: idOf(record.delivery.id) },
        when: 'always',
      })),
      tasks: copyIds.map((idOf) => ({
        ...{ ...task, id: idOf(id), subjectId: id, claims: 0, failures: 0, createdAt: now, dueAt: now },
      })),
    });
    expect(outcome.kind).toBe('committed');
  };
  const console = testConsole(gate, { authorize: () => ({ actor: 'olga', roles: ['viewer'], partners: 'all' }) });
  const read = async (path: string): Promise<unknown> => (await ask(console, path)).json();
  /** As an operator of this one partner. */
  const readAs = async (partnerId: string, path: string): Promise<unknown> => {
    const limited = testConsole(gate, {
      legs: legsOf(gate, 150),
      authorize: () => ({ actor: 'lena', roles: ['viewer'], partners: [partnerId] }),
    });
    return (await ask(limited, path)).json();
  };
  return { clock, copy, read, readAs };
}

/** Legs with this many stuck operations of one partner in each mode, before one of another. */
function legsOf(gate: Gate, count: number): ConsoleLegs {
  const operation = (nth: number): LegOperationView => ({
    ...{ id: `op${String(nth).padStart(6, '0')}`, mode: 'live', partnerId: nth < count ? TEST_PARTNER.id : OTHER },
    ...{ flow: 'on_ramp', status: 'stuck', step: null, steps: [], reason: null },
    ...{ source: { amount: '1.00', currency: 'EUR' }, destination: null, resolution: null },
    ...{ createdAt: gate.clock.now('live'), updatedAt: 0, owed: [], entries: [] },
  });
  const all = Array.from({ length: count + 1 }, (_, nth) => operation(nth));
  return {
    wallets: async () => [],
    pauseWallet: async () => undefined,
    resumeWallet: async () => 'resumed',
    listOperations: async ({ after, limit }) => all.filter(({ id }) => after === null || id > after).slice(0, limit),
    findOperation: async () => null,
    resolveOperation: async () => ({ kind: 'resolved', postings: [] }),
  };
}

const OTHER = 'another';

describe('counts and money of more rows than a list has', () => {
  const place = `partner=${TEST_PARTNER.id}&mode=test`;
  const counted = async (read: (path: string) => Promise<unknown>) => {
    // The answers have the shape that the console's OpenAPI document describes.
    const { hours } = (await read(`/activity?${place}`)) as { readonly hours: readonly unknown[] };
    return { hour: hours.at(-1), overview: await read(`/overview?${place}`), totals: await read(`/totals?${place}`) };
  };
  const all = { count: 1_234, more: false };

  it('completed sessions and their payments', async () => {
    const { copy, read } = await onePayment('succeed');
    await copy(1_233);
    expect(await counted(read)).toMatchObject({
      hour: { sessions: { created: all, completed: all } },
      totals: {
        sessions: { completed: all },
        payments: { completed: all },
        money: expect.arrayContaining([expect.objectContaining({ currency: 'EUR', received: '123523.4' })]),
      },
    });
  });

  it('payments in progress and their money', async () => {
    const { copy, read } = await onePayment('processing');
    await copy(1_233);
    expect(await counted(read)).toMatchObject({
      totals: { payments: { processing: all }, money: [{ currency: 'EUR', in_progress: '123523.4' }] },
    });
  });

  it('deliveries of two states that are counted as one', async () => {
    const { copy, read } = await onePayment('succeed');
    await copy(600, { status: 'retrying' });
    await copy(634, { status: 'dead_lettered' });
    expect(await counted(read)).toMatchObject({
      hour: { deliveries: { failed: all } },
      overview: { deliveries: { last_24h: { failed: all } } },
    });
  });
});

describe('held money', () => {
  it('sums 1,000 held sessions of a mode, and `more` says that there are others', async () => {
    const { copy, read } = await onePayment('processing');
    const amounts = (amount: string) => [{ mode: 'test', currency: 'EUR', amount }];
    await copy(999);
    expect(await read('/held_money')).toMatchObject({
      sessions: { count: 1_000, more: false, amounts: amounts('100100') },
    });
    await copy(1);
    expect(await read('/held_money')).toMatchObject({
      sessions: { count: 1_000, more: true, amounts: amounts('100100') },
    });
  });
});

describe('lists of work are cut, and `has_more` says so', () => {
  const lengthOf = async (list: Promise<unknown>) => {
    const { data, has_more: hasMore } = (await list) as {
      readonly data: readonly unknown[];
      readonly has_more: boolean;
    };
    return [data.length, hasMore];
  };

  it.each(['/work/held', '/work/stuck'])('%s at 100 sessions', async (path) => {
    const { clock, copy, read } = await onePayment('processing');
    await copy(99);
    await clock.advance('1h');
    expect(await lengthOf(read(path))).toEqual([100, false]);
    await copy(1);
    await clock.advance('1h');
    expect(await lengthOf(read(path))).toEqual([100, true]);
  });

  it('an operator of another partner learns nothing of them', async () => {
    const { clock, copy, readAs } = await onePayment('processing');
    await copy(1_001);
    await clock.advance('1h');
    const nothing = { data: [], has_more: false };
    for (const path of ['/work/held', '/work/stuck', '/work/oldest'])
      expect(await readAs(OTHER, path)).toMatchObject(nothing);
    const page = { data: [{ partner_id: OTHER }], has_more: false };
    expect(await readAs(OTHER, '/operations')).toMatchObject(page);
    const none = { count: 0, more: false, amounts: [] };
    expect(await readAs(OTHER, '/held_money')).toMatchObject({ sessions: none, operations: { more: false } });
    expect(await lengthOf(readAs(TEST_PARTNER.id, '/operations'))).toEqual([25, true]);
    expect(await lengthOf(readAs(TEST_PARTNER.id, '/operations?starting_after=op000139'))).toEqual([10, false]);
    expect(await lengthOf(readAs(TEST_PARTNER.id, '/work/held'))).toEqual([100, true]);
  });

  it('/work/oldest where more than 1,000 tasks are due', async () => {
    const { copy, read } = await onePayment('processing');
    await copy(1_000);
    expect(await read('/work/oldest')).toMatchObject({ has_more: false });
    await copy(1);
    expect(await read('/work/oldest')).toMatchObject({ has_more: true });
  });
});
