import { DEFAULT_POLICY } from '@gateramp/core';
import { DAY, recordDeliveryAttempt } from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { aCreate, keyRef, rows } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { ACCEPTED, freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
let store: Store;
beforeAll(async () => {
  pool = await testPool();
});
beforeEach(async () => {
  schema = await freshSchema(pool);
  store = postgresStore(pool, { schema });
});
afterAll(() => pool.end());

describe('commit', () => {
  it('is one statement, however many changes arrive together', async () => {
    const statements: string[] = [];
    const counting = new Proxy(pool, {
      get: (target, name) => {
        if (name !== 'query') return Reflect.get(target, name, target);
        return (statement: pg.QueryConfig) => {
          statements.push(statement.text);
          return target.query(statement);
        };
      },
    });
    const counted = postgresStore(counting, { schema });
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, nth) => counted.commit(aCreate(`key-${nth}`))));
    expect(outcomes.every(({ kind }) => kind === 'committed')).toBe(true);
    expect(statements).toHaveLength(1);
  });

  it('throws at a row named twice and leaves no trace', async () => {
    const change = aCreate('twice');
    await expect(store.commit({ ...change, sessions: [...change.sessions, ...change.sessions] })).rejects.toThrow(
      'one session twice',
    );
    expect(await store.findReply(keyRef('twice'), rows.T0)).toBeNull();
  });

  it('throws at a delivery without its event and leaves no trace', async () => {
    await expect(store.commit({ ...aCreate('orphan'), events: [] })).rejects.toThrow('does not exist');
    expect(await store.findReply(keyRef('orphan'), rows.T0)).toBeNull();
  });

  it('lets a delivery carry an event that was committed before', async () => {
    const change = aCreate('first');
    await store.commit(change);
    const again = aCreate('second').deliveries.map(({ row }) => ({
      row: { ...row, eventId: change.events[0]?.id ?? '' },
      when: 'always' as const,
    }));
    expect(await store.commit({ ...emptyChange(rows.ACME, rows.T0), deliveries: again })).toEqual({
      kind: 'committed',
    });
  });

  it('throws at a counter move that is not a decimal and moves none', async () => {
    const moves = [
      { name: 'good', delta: '1', atLeast: null },
      { name: 'bad', delta: '1e3', atLeast: null },
    ];
    await expect(store.commit({ ...emptyChange(rows.ACME, rows.T0), counters: moves })).rejects.toThrow('decimal');
    expect(await store.readCounters(rows.ACME, ['good'])).toEqual(['0']);
  });

  it('adds up the moves of one counter before it guards them', async () => {
    const spend = { name: 'pool', delta: '-5', atLeast: '0' };
    await store.commit({
      ...emptyChange(rows.ACME, rows.T0),
      counters: [{ name: 'pool', delta: '8.50', atLeast: null }],
    });
    expect(await store.commit({ ...emptyChange(rows.ACME, rows.T0), counters: [spend, spend] })).toEqual({
      kind: 'insufficient',
      counter: 'pool',
    });
    expect(await store.readCounters(rows.ACME, ['pool'])).toEqual(['8.5']);
  });
});

describe('reap', () => {
  it('forgets a delivery and its attempts thirty days after it ended, and never one that is pending', async () => {
    const [ended, pending] = [aCreate('ended'), aCreate('pending')];
    await store.commit(ended);
    await store.commit(pending);
    await deliver(ended);
    expect(await store.reap({ mode: 'test', now: rows.T0 + 30 * DAY - 1, limit: 10, keepEnded: 30 * DAY })).toBe(2);
    expect(await store.reap({ mode: 'test', now: rows.T0 + 30 * DAY, limit: 10, keepEnded: 30 * DAY })).toBe(1);
    expect(await store.find('delivery', rows.ACME, deliveryId(ended))).toBeNull();
    expect(await store.find('delivery', rows.ACME, deliveryId(pending))).not.toBeNull();
  });
});

describe('preparedStatements', () => {
  it('changes how statements are sent and nothing else', async () => {
    const prepared = postgresStore(pool, { schema, preparedStatements: true });
    for (let nth = 0; nth < 8; nth += 1) {
      const change = aCreate(`key-${nth}`);
      expect(await prepared.commit(change)).toEqual({ kind: 'committed' });
      expect(await prepared.find('session', rows.ACME, change.sessions[0]?.row.id ?? '')).toEqual(
        change.sessions[0]?.row,
      );
    }
  });

  it('is safe for several stores over one pool, which share its connections', async () => {
    const one = await testPool(1);
    const stores = [schema, await freshSchema(pool)].map((own) =>
      postgresStore(one, { schema: own, preparedStatements: true }),
    );
    for (const store of [...stores, ...stores]) {
      const change = aCreate(rows.aUuid());
      expect(await store.commit(change)).toEqual({ kind: 'committed' });
      expect(await store.find('session', rows.ACME, change.sessions[0]?.row.id ?? '')).not.toBeNull();
    }
    await one.end();
  });
});

async function deliver(change: Change): Promise<void> {
  const token = rows.aUuid();
  const claimed = await store.claimOne('delivery', rows.ACME, deliveryId(change), {
    now: rows.T0,
    leaseMs: 1_000,
    token,
  });
  if (claimed === null) throw new Error('The delivery could not be claimed.');
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, ACCEPTED, rows.T0, DEFAULT_POLICY);
  expect(await store.recordDelivery({ leaseToken: token, next, attempt })).toBe('recorded');
}

function deliveryId(change: Change): string {
  return change.deliveries[0]?.row.id ?? '';
}
