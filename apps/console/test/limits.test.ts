import type { Delivery } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { createTestGate, TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
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
  return { clock, copy, read };
}

describe('counts stop at 1,000 of each state and hour, and `more` says that there are others', () => {
  const FULL = { count: 1_000, more: false };
  const CUT = { count: 1_000, more: true };
  const place = `partner=${TEST_PARTNER.id}&mode=test`;
  const counted = async (read: (path: string) => Promise<unknown>) => {
    // The answers have the shape that the console's OpenAPI document describes.
    const { hours, payments, volume } = (await read(`/activity?${place}`)) as Readonly<Record<string, unknown[]>>;
    const { sessions, deliveries, held } = (await read(`/overview?${place}`)) as Readonly<Record<string, object>>;
    return { hour: hours?.at(-1), payments, volume, sessions, deliveries, held };
  };

  it.each([FULL, CUT])('completed sessions and their payments: %j', async (count) => {
    const { copy, read } = await onePayment('succeed');
    await copy(count.more ? 1_000 : 999);
    expect(await counted(read)).toMatchObject({
      hour: { sessions: { created: count, completed: count } },
      payments: count,
      volume: expect.arrayContaining([{ currency: 'EUR', received: '100100', paid_out: '0' }]),
      sessions: { completed: count },
    });
  });

  it.each([FULL, CUT])('sessions in progress and their money: %j', async (count) => {
    const { copy, read } = await onePayment('processing');
    await copy(count.more ? 1_000 : 999);
    const money = [{ currency: 'EUR', amount: '100100' }];
    expect(await counted(read)).toMatchObject({ sessions: { in_progress: count }, held: money });
  });

  it.each([FULL, CUT])('deliveries of two states that are counted as one: %j', async (count) => {
    const { copy, read } = await onePayment('succeed');
    await copy(500, { status: 'retrying' });
    await copy(count.more ? 501 : 500, { status: 'dead_lettered' });
    expect(await counted(read)).toMatchObject({
      hour: { deliveries: { failed: count } },
      deliveries: { last_24h: { failed: count } },
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

  it('/work/oldest where more than 1,000 tasks are due', async () => {
    const { copy, read } = await onePayment('processing');
    await copy(1_000);
    expect(await read('/work/oldest')).toMatchObject({ has_more: false });
    await copy(1);
    expect(await read('/work/oldest')).toMatchObject({ has_more: true });
  });
});
