import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { POOL_ROUTES } from '../../contract/pools/pool-routes.js';
import { nameOf, ROUTES } from '../../../packages/conformance/src/http/routes.js';
import { histories } from '../differential/histories.js';
import { sixKinds } from '../differential/kinds.js';
import { play } from '../differential/play.js';
import { RARE_STORY } from '../differential/rare-story.js';
import { runs } from '../differential/runs.js';
import { templateOf } from '../differential/template-of.js';
import { isDeep } from '../../depth.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

const MINUTE = 60_000;
/** The time for shrinking a failed history. */
const SHRINKING = 10 * MINUTE;

describe('a history of requests, clock and restarts', () => {
  const succeeded = new Set<string>();
  const noteSuccess = (
    { method, path }: { readonly method: string; readonly path: string },
    { status }: { readonly status: number },
  ): void => {
    if (status < 300) succeeded.add(`${method} ${templateOf(path)}`);
  };

  it(
    'gets the same answers and webhooks, byte for byte, from memory, SQLite and Postgres behind Fastify and Express',
    async () => {
      const kinds = sixKinds(pool);
      const drawn = histories(300, 500);
      const property = fc.asyncProperty(drawn, (history) =>
        drawn.watch(history, (onStep) =>
          play(kinds, history, {
            onStep,
            note: noteSuccess,
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

  // Random histories do not reach all endpoints, so this adds a fixed story on all kinds and histories from fixed seeds on one kind.
  it.runIf(isDeep)('has brought every endpoint to its success', { timeout: 5 * MINUTE }, async () => {
    const missing = () => [...ROUTES, ...POOL_ROUTES].map(nameOf).filter((route) => !succeeded.has(route));
    const kinds = sixKinds(pool);
    await play(kinds, RARE_STORY, { note: noteSuccess });
    for (let seed = 1; seed <= 40 && missing().length > 0; seed += 1)
      for (const history of fc.sample(histories(300, 500), { seed, numRuns: 1 }))
        await play(kinds.slice(0, 1), history, { note: noteSuccess });
    expect(missing()).toEqual([]);
  });
});
