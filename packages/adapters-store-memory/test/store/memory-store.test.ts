import { DEFAULT_POLICY } from '@gateramp/core';
import { DAY, recordDeliveryAttempt, type Delivery } from '@gateramp/core/domain';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.js';
import { aClaim, aDelivery, anEvent, aSession, aTask, change, deliver, NOW, SCOPE } from '../builders.js';

let store = memoryStore();
beforeEach(() => {
  store = memoryStore();
});

const everything = {
  status: null,
  eventType: null,
  eventId: null,
  target: null,
  sessionId: null,
  createdAfter: null,
  createdBefore: null,
};
const newest = { start: { kind: 'newest' as const }, limit: 100 };

describe('commit', () => {
  it('is done before its promise is awaited, so nothing comes between check and write', async () => {
    const first = store.commit(change({ sessions: [{ row: aSession(), expectedVersion: null }] }));
    const second = store.commit(change({ sessions: [{ row: aSession(), expectedVersion: null }] }));
    expect(await Promise.all([first, second])).toEqual([{ kind: 'committed' }, { kind: 'stale' }]);
  });

  it('keeps the very row it was given', async () => {
    const row = Object.freeze(aSession());
    await store.commit(change({ sessions: [{ row, expectedVersion: null }] }));
    expect(await store.find('session', SCOPE, row.id)).toBe(row);
  });

  it('throws at a row named twice and leaves no trace', async () => {
    const twice = { row: aSession(), expectedVersion: null };
    await expect(store.commit(change({ once: ['mark'], sessions: [twice, twice] }))).rejects.toThrow(
      'one session twice',
    );
    expect(await store.commit(change({ once: ['mark'] }))).toEqual({ kind: 'committed' });
    expect(await store.find('session', SCOPE, 's1')).toBeNull();
  });

  it('throws at a delivery without its event and leaves no trace', async () => {
    const orphan = change({
      sessions: [{ row: aSession(), expectedVersion: null }],
      deliveries: [{ row: aDelivery(), when: 'always' }],
    });
    await expect(store.commit(orphan)).rejects.toThrow('does not exist');
    expect(await store.find('session', SCOPE, 's1')).toBeNull();
  });

  it('throws at a counter move that is not a decimal and leaves no trace', async () => {
    const moves = [
      { name: 'good', delta: '1', atLeast: null },
      { name: 'bad', delta: '1e3', atLeast: null },
    ];
    await expect(store.commit(change({ counters: moves }))).rejects.toThrow('decimal');
    expect(await store.readCounters(SCOPE, ['good'])).toEqual(['0']);
  });

  it('adds up the moves of one counter before it guards them', async () => {
    const spend = { name: 'pool', delta: '-5', atLeast: '0' };
    await store.commit(change({ counters: [{ name: 'pool', delta: '8.50', atLeast: null }] }));
    expect(await store.commit(change({ counters: [spend, spend] }))).toEqual({ kind: 'insufficient', counter: 'pool' });
    expect(await store.readCounters(SCOPE, ['pool'])).toEqual(['8.5']);
  });
});

describe('leases', () => {
  it('lets a lapsed lease record as long as it was not taken over, even after a claim has seen it lapse', async () => {
    await deliver(store, aDelivery({ id: 'd1' }), aDelivery({ id: 'd2' }, NOW + 1));
    const [claimed] = await store.claim('delivery', aClaim({ limit: 1, token: 'first' }));
    const later = NOW + 60_000;
    await store.claim('delivery', aClaim({ limit: 1, token: 'second', now: { test: later, live: later } }));
    expect(claimed?.delivery.id).toBe('d1');
    expect(await store.recordDelivery(failed(claimed?.delivery ?? aDelivery(), 'first'))).toBe('recorded');
  });

  it('finds the next due thing among both lanes and the tasks', async () => {
    await deliver(store, { ...aDelivery({ id: 'd1' }, NOW + 30), lane: 'retry' }, aDelivery({ id: 'd2' }, NOW + 40));
    await store.commit(change({ tasks: [aTask({ dueAt: NOW + 35 })] }));
    expect(await store.nextDue('test')).toEqual({ kind: 'delivery', id: 'd1', mode: 'test', dueAt: NOW + 30 });
    await store.claimOne('delivery', SCOPE, 'd1', { now: NOW + 30, leaseMs: 100, token: 'lease' });
    expect(await store.nextDue('test')).toMatchObject({ kind: 'task', dueAt: NOW + 35 });
    await store.claimOne('task', SCOPE, 't1', { now: NOW, leaseMs: 5, token: 'lease', early: true });
    expect(await store.nextDue('test')).toMatchObject({ kind: 'task', dueAt: NOW + 5 });
    expect(await store.nextDue('live')).toBeNull();
  });
});

describe('reap', () => {
  it('looks at no more than the limit and goes on where it stopped', async () => {
    for (const keyHash of ['a', 'b', 'c']) await store.commit(change({ idempotency: sealed(keyHash, NOW + 1) }));
    await store.commit(change({ idempotency: sealed('later', NOW + 3) }));
    expect(await store.reap({ mode: 'test', now: NOW + 2, limit: 2, keepEnded: 30 * DAY })).toBe(2);
    expect(await store.reap({ mode: 'live', now: NOW + 9, limit: 2, keepEnded: 30 * DAY })).toBe(0);
    expect(await store.reap({ mode: 'test', now: NOW + 2, limit: 2, keepEnded: 30 * DAY })).toBe(1);
    expect(await store.reap({ mode: 'test', now: NOW + 2, limit: 2, keepEnded: 30 * DAY })).toBe(0);
  });

  it('spares a key that was taken over since it expired', async () => {
    await store.commit(change({ idempotency: sealed('a', NOW + 1) }));
    await store.commit(change({ now: NOW + 2, idempotency: sealed('a', NOW + 100) }));
    expect(await store.reap({ mode: 'test', now: NOW + 50, limit: 10, keepEnded: 30 * DAY })).toBe(0);
    expect(await store.findReply(sealed('a', 0).ref, NOW + 50)).toMatchObject({ kind: 'replay' });
    expect(await store.reap({ mode: 'test', now: NOW + 101, limit: 10, keepEnded: 30 * DAY })).toBe(1);
  });

  it('forgets a delivery thirty days after it ended, and never one that is pending or parked', async () => {
    await deliver(
      store,
      aDelivery({ id: 'done' }),
      { ...aDelivery({ id: 'parked' }), parkedAt: NOW },
      aDelivery({ id: 'pending' }, NOW + 1),
    );
    const [claimed] = await store.claim('delivery', aClaim());
    await store.recordDelivery(delivered(claimed?.delivery ?? aDelivery(), 'lease'));
    expect(await store.reap({ mode: 'test', now: NOW + 30 * DAY - 1, limit: 10, keepEnded: 30 * DAY })).toBe(0);
    expect(await store.reap({ mode: 'test', now: NOW + 30 * DAY, limit: 10, keepEnded: 30 * DAY })).toBe(1);
    const left = await store.list('delivery', SCOPE, everything, newest);
    expect(left.map(({ delivery }) => delivery.id)).toEqual(['pending', 'parked']);
    expect(await store.find('delivery', SCOPE, 'done')).toBeNull();
  });

  it('forgets a task thirty days after it was done', async () => {
    await store.commit(change({ tasks: [aTask()] }));
    const task = await store.claimOne('task', SCOPE, 't1', { now: NOW, leaseMs: 10, token: 'lease', early: false });
    const row = { ...(task ?? aTask()), status: 'done' as const, leaseToken: null, leaseUntil: null };
    await store.commit(change({ finishes: [{ row, leaseToken: 'lease' }] }));
    expect(await store.find('task', SCOPE, 't1')).toBe(row);
    expect(await store.reap({ mode: 'test', now: NOW + 30 * DAY, limit: 10, keepEnded: 30 * DAY })).toBe(1);
    expect(await store.find('task', SCOPE, 't1')).toBeNull();
  });
});

describe('events', () => {
  it('come back in the order of their sequence, whatever order they were committed in', async () => {
    for (const sequence of [2, 1, 3]) {
      await store.commit(change({ events: [anEvent({ id: `e${sequence}`, sessionId: 's1', sequence })] }));
    }
    expect((await store.list('session_event', SCOPE, 's1')).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });
});

function sealed(keyHash: string, expiresAt: number) {
  const ref = { scope: 'acme/test', keyHash, fingerprint: 'print' };
  return { kind: 'claim' as const, ref, state: { kind: 'sealed' as const, reply: 'reply' }, expiresAt };
}

function failed(delivery: Delivery, leaseToken: string) {
  return recordOf(delivery, leaseToken, 500);
}

function delivered(delivery: Delivery, leaseToken: string) {
  return recordOf(delivery, leaseToken, 200);
}

function recordOf(delivery: Delivery, leaseToken: string, responseStatus: number) {
  const result = {
    url: 'https://shop.example/hooks',
    startedAt: NOW,
    durationMs: 1,
    responseStatus,
    responseBody: '',
    error: null,
  };
  const { delivery: next, attempt } = recordDeliveryAttempt(delivery, result, NOW, DEFAULT_POLICY);
  return { leaseToken, next, attempt };
}
