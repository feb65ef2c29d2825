import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPool } from '../../../adapters-store-postgres/test/postgres-subject.js';
import { POOL_ROUTES } from '../../../../tests/contract/pools/pool-routes.js';
import { nameOf, ROUTES } from '../../src/http/routes.js';
import { histories } from './histories.js';
import { sixKinds } from './kinds.js';
import { play } from './play.js';
import { runs } from './runs.js';
import { templateOf } from './template-of.js';
import { isDeep } from '../../../../tests/depth.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

const MINUTE = 60_000;
/** A failure is worth the time it takes to make it small. */
const SHRINKING = 10 * MINUTE;

describe('a history of requests, clock and restarts', () => {
  const succeeded = new Set<string>();

  it(
    'gets the same answers and webhooks, byte for byte, from memory, SQLite and Postgres behind Fastify and Express',
    async () => {
      const kinds = sixKinds(pool);
      const drawn = histories(300, 500);
      const property = fc.asyncProperty(drawn, (history) =>
        drawn.watch(history, (onStep) =>
          play(kinds, history, {
            onStep,
            note: ({ method, path }, { status }) => status < 300 && succeeded.add(`${method} ${templateOf(path)}`),
          }),
        ),
      );
      await fc.assert(property, {
        numRuns: runs(12),
        interruptAfterTimeLimit: runs(12) * MINUTE + SHRINKING,
        markInterruptAsFailure: true,
      });
    },
    runs(12) * MINUTE + SHRINKING + MINUTE,
  );

  // A quick run's few histories do not get to all of them.
  it.runIf(isDeep)('has brought every endpoint to its success', () => {
    expect([...ROUTES, ...POOL_ROUTES].map(nameOf).filter((route) => !succeeded.has(route))).toEqual([]);
  });
});
