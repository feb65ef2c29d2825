import { HOUR } from '@gateramp/core/domain';
import { storeClock } from '@gateramp/core/runtime';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresTime } from '../src/index.js';
import { testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(2);
});
afterAll(() => pool.end());

it('puts a machine that is an hour off to the time of the database', async () => {
  const time = postgresTime(pool);
  const clock = storeClock(time, { readWall: () => Date.now() - HOUR });
  await clock.open();
  clock.close();
  // Half of the longest accepted round trip.
  const exactness = 250 + 1;
  const before = await time();
  const shown = clock.now('live');
  const after = await time();
  expect(shown).toBeGreaterThanOrEqual(before - exactness);
  expect(shown).toBeLessThanOrEqual(after + exactness);
});

it('reports a database that is away as an outage', async () => {
  const away = await testPool(1);
  await away.end();
  await expect(postgresTime(away)()).rejects.toMatchObject({ outage: true });
});
