import { virtualTimers } from '@gateramp/testing';
import { describeLaws, rows, schedulerLaws } from '@gateramp/testing/conformance';
import { emptyChange, SWEEP_MS } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollingScheduler, postgresStore } from '../src/index.js';
import { scheduleOver } from '../src/scheduler/polling-scheduler.js';
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
      const scheduler = scheduleOver(async () => false, { timers, onError: () => undefined });
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
    const started = performance.now();
    const called = new Promise<void>((resolve) => void scheduler.start(async () => resolve()));
    const event = rows.aPartnerEvent(rows.ACME, rows.T0);
    await store.commit({
      ...emptyChange(rows.ACME, rows.T0),
      events: [event],
      deliveries: [{ row: rows.aDelivery(event, rows.T0), when: 'always' }],
    });
    await called;
    expect(performance.now() - started).toBeLessThan(SWEEP_MS);
    await scheduler.close(1_000);
  });

  it('costs one small look each poll while nothing is due, and calls nobody but for the sweep', async () => {
    const timers = virtualTimers();
    let looks = 0;
    let calls = 0;
    const scheduler = scheduleOver(async () => (looks += 1) < 0, { timers });
    await scheduler.start(async () => void (calls += 1));
    await timers.elapse(60_000);
    expect(calls).toBe(60_000 / SWEEP_MS);
    expect(looks).toBeLessThanOrEqual(60 * 4);
    await scheduler.close(0);
  });

  it('tells of a look that failed and goes on looking', async () => {
    const timers = virtualTimers();
    const errors: unknown[] = [];
    let calls = 0;
    const looks = [() => Promise.reject(new Error('away')), () => Promise.resolve(true)];
    const scheduler = scheduleOver(async () => (await looks.shift()?.()) ?? false, { timers, onError: (error) => errors.push(error) });
    await scheduler.start(async () => void (calls += 1));
    await timers.elapse(1_000);
    expect(errors).toEqual([new Error('away')]);
    expect(calls).toBe(1);
    await scheduler.close(0);
  });
});
