import { virtualTimers } from '@gateramp/testing';
import { aCreate, describeLaws, rows, schedulerLaws } from '@gateramp/conformance';
import { emptyChange, SWEEP_MS, type Change } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopwatch } from '../../../tests/services/stopwatch.js';
import { pooled } from '../src/database.js';
import { pollingScheduler } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { probe, scheduleOver } from '../src/polling-scheduler.js';
import { LanePositions } from '../src/work/lane-positions.js';
import type { Look } from '../src/work/look.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool(4);
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

describeLaws(
  schedulerLaws,
  {
    async create() {
      const timers = virtualTimers();
      const scheduler = scheduleOver(async () => 'nothing', { timers, onError: () => undefined });
      const close = async (): Promise<void> => {
        const closing = scheduler.close(0);
        await timers.elapse(0);
        await closing;
      };
      return { scheduler, elapse: (ms) => timers.elapse(ms), close };
    },
  },
  { describe, it },
);

describe('looking', () => {
  it('finds what another process has committed, without any hint and long before the sweep', async () => {
    const store = postgresStore(pool, { schema });
    const scheduler = pollingScheduler(pool, { schema, pollMs: 5 });
    const elapsed = stopwatch();
    const called = new Promise<void>((resolve) => void scheduler.start(async () => resolve()));
    const event = rows.aPartnerEvent(rows.ACME, rows.T0);
    await store.commit({
      ...emptyChange(rows.ACME, rows.T0),
      events: [event],
      deliveries: [{ row: rows.aDelivery(event, rows.T0), when: 'always' }],
    });
    await called;
    expect(elapsed()).toBeLessThan(SWEEP_MS);
    await scheduler.close(1_000);
  });

  it('costs one small look each poll while nothing is due, and calls back only for the sweep', async () => {
    const timers = virtualTimers();
    let looks = 0;
    let calls = 0;
    const scheduler = scheduleOver(async () => ((looks += 1) < 0 ? 'new' : 'nothing'), { timers });
    await scheduler.start(async () => void (calls += 1));
    await timers.elapse(60_000);
    expect(calls).toBe(60_000 / SWEEP_MS);
    expect(looks).toBeLessThanOrEqual(60 * 4);
    await scheduler.close(0);
  });

  it('looks every few milliseconds while looks find something new, and as before soon after they have not', async () => {
    const timers = virtualTimers();
    const found: Look[] = ['new', ...Array.from({ length: 20 }, (): Look => 'nothing'), 'new'];
    const at: number[] = [];
    const scheduler = scheduleOver(
      async () => {
        at.push(timers.now());
        return found.shift() ?? 'waiting';
      },
      { timers },
    );
    await scheduler.start(async () => undefined);
    await timers.elapse(2_000);
    const gaps = at.slice(1).map((time, nth) => time - (at[nth] ?? 0));
    expect(gaps.slice(0, 21)).toEqual(Array.from({ length: 21 }, () => 5));
    expect(gaps.filter((gap) => gap === 5).length).toBeLessThan(75);
    expect(gaps.slice(-3)).toEqual([250, 250, 250]);
    await scheduler.close(0);
  });

  it.each([
    ['looks quickly despite a few hints of its own', 100, true],
    ['need not where its own hints come quickly', 5, false],
  ])('%s', async (_, gapMs, isQuick) => {
    const timers = virtualTimers();
    let looks = 0;
    const look = async (): Promise<Look> => {
      looks += 1;
      return timers.now() < 1_000 ? 'nothing' : 'new';
    };
    const scheduler = scheduleOver(look, { timers });
    await scheduler.start(async () => undefined);
    const looksWithin = async (ms: number, hintEveryMs: number): Promise<number> => {
      const before = looks;
      for (let passed = 0; passed < ms; passed += hintEveryMs) {
        scheduler.wake([{ delayMs: 0 }]);
        await timers.elapse(hintEveryMs);
      }
      return looks - before;
    };
    await looksWithin(2_000, gapMs);
    expect(await looksWithin(1_000, gapMs)).toBe(isQuick ? 200 : 4);
    await timers.elapse(1_000);
    const before = looks;
    await timers.elapse(1_000);
    expect(looks - before).toBe(200);
    await scheduler.close(0);
  });

  it('sees what is new although older work cannot be taken', async () => {
    const own = await freshSchema(pool);
    const look = probe(pooled(pool, { queryTimeoutMs: 5_000, preparedStatements: false }), new LanePositions(), own);
    const store = postgresStore(pool, { schema: own });
    expect(await look()).toBe('nothing');
    await store.commit(aCreate('stuck'));
    expect([await look(), await look()]).toEqual(['new', 'waiting']);
    await store.commit(laterBy(1, aCreate('fresh')));
    expect([await look(), await look()]).toEqual(['new', 'waiting']);
    await store.claim('delivery', {
      now: rows.nowIn(rows.T0 + 1),
      lane: 'first',
      limit: 10,
      perEndpoint: 10,
      leaseMs: 60_000,
      token: rows.aUuid(),
    });
    expect(await look()).toBe('nothing');
  });

  it('reports a look that failed and goes on looking', async () => {
    const timers = virtualTimers();
    const errors: unknown[] = [];
    let calls = 0;
    const looks = [() => Promise.reject(new Error('away')), () => Promise.resolve('waiting' as const)];
    const scheduler = scheduleOver(async () => (await looks.shift()?.()) ?? 'nothing', {
      timers,
      onError: (error) => errors.push(error),
    });
    await scheduler.start(async () => void (calls += 1));
    await timers.elapse(1_000);
    expect(errors).toEqual([new Error('away')]);
    expect(calls).toBe(1);
    await scheduler.close(0);
  });
});

function laterBy(ms: number, change: Change): Change {
  return {
    ...change,
    deliveries: change.deliveries.map(({ row, when }) => ({ row: { ...row, dueAt: rows.T0 + ms }, when })),
  };
}
