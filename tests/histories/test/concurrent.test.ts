import { memoryStore } from '@gateramp/adapters-store-memory';
import { postgresStore } from '@gateramp/adapters-store-postgres';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptySchema, freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { runs } from '../differential/runs.js';
import { storeFaults } from '../../../packages/conformance/test/faults/store-faults.js';
import type { Gathering } from '../concurrent/crowd.js';
import { gatherings, rushes } from '../concurrent/gatherings.js';
import { ALL_LAWS, judged } from '../concurrent/judged.js';
import { OFFICE_LAWS } from '../concurrent/office-laws.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const MINUTE = 60_000;

describe('clients who ask at once', () => {
  it(
    'break no law in memory, in whatever order the calls of its ports take effect',
    async () => {
      await keeps(runs(250), (gathering) => {
        const store = memoryStore();
        return judged([store, store], gathering, true);
      });
    },
    limitFor(runs(250)),
  );

  it(
    'break no law on Postgres, from two processes',
    async () => {
      await keeps(runs(25), async (gathering) => {
        await emptySchema(pool, schema);
        await judged([postgresStore(pool, { schema }), postgresStore(pool, { schema })], gathering, false);
      });
    },
    limitFor(runs(25)),
  );

  it(
    'break no law on SQLite, from two processes on one file',
    async () => {
      await keeps(runs(12), async (gathering) => {
        const { store, reopen, close } = await sqliteSubject.create();
        const other = await reopen();
        try {
          await judged([store, other.store], gathering, false);
        } finally {
          await other.close();
          await close();
        }
      });
    },
    limitFor(runs(12)),
  );
});

describe('the laws notice', () => {
  it.each([
    [
      'events kept on a stale commit',
      'a request is answered by the contract: no bug, and no refusal of ours but 503 try_again',
    ],
    ['unstable ordering', 'a walk of a list meets everything that was there before it, once'],
    ['a hole in the sequence', 'events of a session are numbered without a hole, and at most one ends it'],
    [
      'documents that are overwritten',
      'a quote makes one payment over rails, which was acknowledged to whoever asked for it',
    ],
    [
      'documents that are overwritten',
      'a quote of a pool makes one trade, which was acknowledged to whoever asked for it',
    ],
    [
      'a counter that is read, then written',
      'a pool has what it had less what its trades took, to the last unit, and keeps nothing reserved',
    ],
  ] as const)(
    'a store with %s: %s',
    async (fault, law) => {
      const isKept = (gathering: Gathering): Promise<void> => {
        const store = storeFaults[fault](memoryStore());
        const own = ALL_LAWS.filter(({ title }) => title === law);
        return judged([store, store], gathering, true, own);
      };
      const drawn = OFFICE_LAWS.some(({ title }) => title === law) ? rushes : gatherings;
      const broken = await fc.check(fc.asyncProperty(drawn, isKept), {
        seed: 1,
        numRuns: 1_000,
        endOnFailure: true,
      });
      expect(broken.failed).toBe(true);
      expect(String(broken.errorInstance)).toContain(law);
    },
    5 * MINUTE,
  );
});

async function keeps(numRuns: number, isKept: (gathering: Gathering) => Promise<void>): Promise<void> {
  const interruptAfterTimeLimit = limitFor(numRuns) - MINUTE;
  await fc.assert(fc.asyncProperty(gatherings, isKept), {
    numRuns,
    interruptAfterTimeLimit,
    markInterruptAsFailure: true,
  });
}

/** The time limit, with time for shrinking a failure. */
function limitFor(numRuns: number): number {
  return 5 * MINUTE + numRuns * 2_000;
}
