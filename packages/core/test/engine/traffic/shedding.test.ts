import type { Policy } from '@gateramp/core';
import type { Provider, Store } from '@gateramp/core/ports';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createTestGate, TEST_PARTNER, type TestGate, type TestResponse } from '@gateramp/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkout } from '../checkout.js';
import { until } from '../until.js';

const OTHER_KEY = 'sk_test_000000000000000000000other';
const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

/** A store whose commits and lists end one at a time, when the test releases them. */
function turnstile(t: TestGate) {
  const queue: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => queue.push(resolve));
  const { store } = t.ports;
  const slow: Store = {
    ...store,
    commit: async (change) => {
      await turn();
      return store.commit(change);
    },
    list: async (noun, ...asked) => {
      await turn();
      return store.list(noun, ...asked);
    },
  };
  return { store: slow, queue, releaseOne: () => queue.shift()?.() };
}

async function slowGate(policy: Partial<Policy> = {}) {
  const t = await createTestGate({ policy });
  await t.gate.admin.savePartner({ ...TEST_PARTNER, id: 'other', name: 'Other' });
  await t.gate.admin.addKey('other', OTHER_KEY);
  const door = turnstile(t);
  const slow = t.restart({ store: door.store });
  let nth = 0;
  const create = (key = t.keys.secret.test, idempotencyKey = `key ${(nth += 1)}`.replace(' ', '-')) =>
    slow.request('POST', '/v1/gate_sessions', { key, idempotencyKey, body: BODY });
  return { ...door, t, slow, create };
}

function turns(count = 50): Promise<void> {
  return Array.from({ length: count }).reduce<Promise<void>>(
    (before) => before.then(() => new Promise((resolve) => setImmediate(resolve))),
    Promise.resolve(),
  );
}

function codeOf({ status, json, headers }: TestResponse): readonly unknown[] {
  return [status, json['code'], headers['retry-after-short']];
}

const SHED = [503, 'service_unavailable', '1'];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('a request that is not answered within the time limit', () => {
  it('gets 503 with Retry-After-short, and a repeat with its key gets the result of its work', async () => {
    const { t, create, queue, releaseOne } = await slowGate({ requestWaitMax: 60_000 });
    const answer = create(t.keys.secret.test, 'one-purchase');
    await until(() => queue.length === 1);
    await vi.advanceTimersByTimeAsync(9_999);
    await vi.advanceTimersByTimeAsync(1);
    expect(codeOf(await answer)).toEqual(SHED);
    expect(codeOf(await create(t.keys.secret.test, 'one-purchase'))).toEqual([409, 'operation_in_progress', undefined]);
    releaseOne();
    await turns();
    const repeated = create(t.keys.secret.test, 'one-purchase');
    await until(() => queue.length === 1);
    releaseOne();
    const repeat = await repeated;
    const { json } = await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
    expect([repeat.status, json['data']]).toEqual([201, [expect.objectContaining({ id: repeat.json['id'] })]]);
  });

  it('no longer occupies a slot: an unresponsive store does not keep the process at capacity', async () => {
    const { create, queue } = await slowGate({ requestsInFlightMax: 5, requestWaitMax: 60_000 });
    const stuck = Array.from({ length: 5 }, () => create());
    await until(() => queue.length === 5);
    const next = create();
    await turns();
    expect(queue).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await Promise.all(stuck)).map(codeOf)).toEqual(stuck.map(() => SHED));
    expect(queue).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(codeOf(await next)).toEqual(SHED);
  });

  it('ends after `policy.requestTimeout`, even if that is shorter than the wait for a provider', async () => {
    await expect(createTestGate({ policy: { requestTimeout: 8_000 } })).rejects.toThrow('policy.requestTimeout');
  });
});

describe('concurrent work', () => {
  it('is bounded, the queue is bounded, and requests over both bounds are refused immediately', async () => {
    const { create, queue, releaseOne } = await slowGate({ requestsInFlightMax: 5 });
    const answers = Array.from({ length: 29 }, () => create());
    await turns();
    expect(queue).toHaveLength(5);
    const settled = await Promise.all(answers.map((one) => Promise.race([one.then(codeOf), turns(1)])));
    expect(settled.filter((code) => code !== undefined)).toEqual(Array.from({ length: 4 }, () => SHED));
    for (let released = 0; released < 25; released += 1) {
      releaseOne();
      await turns();
    }
    expect((await Promise.all(answers)).filter(({ status }) => status === 201)).toHaveLength(25);
  });

  it('waits no longer than half a second for its slot', async () => {
    const { create, queue } = await slowGate({ requestsInFlightMax: 5 });
    for (let nth = 0; nth < 5; nth += 1) void create();
    await until(() => queue.length === 5);
    const waiting = create();
    await turns();
    await vi.advanceTimersByTimeAsync(500);
    expect(codeOf(await waiting)).toEqual(SHED);
  });

  it('is shared by partner: next to one with 256 connections, another waits at most three times as many commits as alone', async () => {
    const { create, queue, releaseOne } = await slowGate({ requestWaitMax: 60_000 });
    const commitsUntil = async (answer: Promise<TestResponse>): Promise<number> => {
      let isDone = false;
      void answer.then(() => (isDone = true));
      await turns();
      for (let commits = 0; ; commits += 1) {
        if (isDone) return commits;
        // As with group commit, everything waiting for the store is released together.
        for (let waiting = queue.length; waiting > 0; waiting -= 1) releaseOne();
        await turns();
      }
    };
    const alone = await commitsUntil(create(OTHER_KEY));
    const crowd = Array.from({ length: 256 }, () => create());
    await turns();
    const most = await Promise.all([1, 2, 3].map(async () => (await commitsUntil(create(OTHER_KEY))) / alone));
    expect(Math.max(...most)).toBeLessThanOrEqual(3);
    await commitsUntil(Promise.all(crowd).then(([first]) => first as TestResponse));
  });

  it('runs a few requests of a busy partner while another sends too, and many while it is alone', async () => {
    const { create, queue, releaseOne } = await slowGate({ requestWaitMax: 60_000 });
    const other = create(OTHER_KEY);
    await until(() => queue.length === 1);
    for (let nth = 0; nth < 100; nth += 1) void create();
    await turns();
    expect(queue.length).toBeLessThanOrEqual(5);
    releaseOne();
    await other;
    await vi.advanceTimersByTimeAsync(2_000);
    await turns();
    expect(queue.length).toBe(64);
  });

  it('does not include requests that wait for a provider', async () => {
    const t = await createTestGate();
    const shops = [await checkout(t), await checkout(t), await checkout(t), await checkout(t), await checkout(t)];
    const sandbox = sandboxProvider({ ledger: t.ledger });
    let asked = 0;
    const hanging: Provider = { ...sandbox, start: () => ((asked += 1), new Promise(() => undefined)) };
    const slow = t.restart({ providers: [hanging] });
    const small = await createTestGate({ policy: { requestsInFlightMax: 5 }, ports: slow.ports });
    for (const shop of shops) void shop.on(small).begin();
    await until(() => asked === 5);
    let nth = 0;
    const creates = await Promise.all(
      Array.from({ length: 5 }, () =>
        small.request('POST', '/v1/gate_sessions', {
          key: t.keys.secret.test,
          idempotencyKey: `key-${(nth += 1)}`,
          body: BODY,
        }),
      ),
    );
    expect(creates.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  });

  it('leaves room for other partners when the provider of one hangs', async () => {
    const { create, queue } = await slowGate({
      requestsUnansweredMax: 12,
      requestsInFlightMax: 100,
      requestWaitMax: 60_000,
    });
    const crowd = Array.from({ length: 12 }, () => create());
    await turns();
    expect(queue).toHaveLength(6);
    const settled = await Promise.all(crowd.map((one) => Promise.race([one.then(codeOf), turns(1)])));
    expect(settled.filter((code) => code !== undefined)).toEqual(Array.from({ length: 6 }, () => SHED));
    void create(OTHER_KEY);
    await until(() => queue.length === 7);
  });

  it('of reads takes no slots of writes', async () => {
    const { slow, t, create, queue, releaseOne } = await slowGate({ requestsInFlightMax: 5, requestWaitMax: 60_000 });
    const lists = Array.from({ length: 20 }, () =>
      slow.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test }),
    );
    await until(() => queue.length === 5);
    const created = create();
    await until(() => queue.length === 6);
    for (let released = 0; released < 21; released += 1) {
      releaseOne();
      await turns(10);
    }
    expect((await created).status).toBe(201);
    expect((await Promise.all(lists)).every(({ status }) => status === 200)).toBe(true);
  });

  it('never delays a health probe', async () => {
    const { slow, create } = await slowGate({
      requestsInFlightMax: 5,
      requestsUnansweredMax: 6,
    });
    for (let nth = 0; nth < 10; nth += 1) void create();
    await turns();
    expect((await slow.request('GET', '/health')).status).toBe(200);
  });
});
