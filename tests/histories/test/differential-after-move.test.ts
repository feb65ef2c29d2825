import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { moving, ownFile, partsInFile } from '../moved/places.js';
import { histories } from '../differential/histories.js';
import { express, fastify } from '../differential/kinds.js';
import { play } from '../differential/play.js';
import { runs } from '../differential/runs.js';
import type { Kind } from '../differential/system.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

const MINUTE = 60_000;
const SHRINKING = 10 * MINUTE;

const staying: Kind = {
  name: 'the file that stays',
  store: {
    create: async () => {
      const { file, remove } = ownFile();
      return { ...partsInFile(file), close: async () => remove() };
    },
  },
  http: fastify,
};

describe('an installation that moves from a file to Postgres in the middle of its history', () => {
  it(
    'gives the answers and webhooks, byte for byte, of the one that stays',
    async () => {
      let moves = 0;
      const leaving: Kind = {
        name: 'the file that moves',
        store: { create: () => moving(pool, () => void (moves += 1)) },
        http: express,
      };
      const drawn = histories(300, 500);
      const property = fc.asyncProperty(drawn, (history) =>
        drawn.watch(history, (onStep) => play([staying, leaving], history, { onStep, moveAfter: 0.5 })),
      );
      await fc.assert(property, {
        numRuns: runs(4),
        interruptAfterTimeLimit: runs(4) * MINUTE + SHRINKING,
        markInterruptAsFailure: true,
      });
      expect(moves).toBeGreaterThanOrEqual(runs(4));
    },
    runs(4) * MINUTE + SHRINKING + MINUTE,
  );
});
