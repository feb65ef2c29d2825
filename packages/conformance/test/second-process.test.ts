import { AssertionError } from 'node:assert';
import { storeLaws, type StoreSubject } from '@gateramp/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { postgresSubject, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { sqliteSubject } from '../../adapters-store-sqlite/test/sqlite-subject.js';
import { secondProcessFaults, type FaultyProcess } from './faults/second-process-faults.js';

const pool = await testPool(30);
const SUBJECTS = { SQLite: sqliteSubject, Postgres: postgresSubject(() => pool) } satisfies Record<
  string,
  StoreSubject
>;

/** A process is a store over its own connections. */
function processesWith(fault: FaultyProcess, subject: StoreSubject): StoreSubject {
  return {
    async create() {
      const trial = await subject.create();
      const { reopen } = trial;
      if (reopen === undefined) throw new Error('A durable store can be opened again.');
      return {
        ...trial,
        reopen: async () => {
          const opened = await reopen();
          return { ...opened, store: fault(opened.store) };
        },
      };
    },
  };
}

const LAWS = storeLaws.filter(({ topic }) => topic.startsWith('Store: several connections'));

/** Stops at the first law that detects the fault. */
async function lawThatCaught(fault: FaultyProcess, subject: StoreSubject): Promise<string | null> {
  for (const law of LAWS.toReversed()) {
    try {
      await law.run(processesWith(fault, subject));
    } catch (error) {
      if (error instanceof AssertionError) return law.title;
      throw error;
    }
  }
  return null;
}

const GOAL = 0.95;

afterAll(() => pool.end());

describe.each(Object.entries(SUBJECTS))('mistakes of one process among several, on %s', (_, subject) => {
  const caught = new Map<string, string | null>();

  it('finds none in a correct store', async () => {
    expect(await lawThatCaught((inner) => inner, subject)).toBeNull();
  });

  for (const [name, fault] of Object.entries(secondProcessFaults))
    it.concurrent(name, async () => {
      const law = await lawThatCaught(fault, subject);
      caught.set(name, law);
      expect(law, 'the law that caught it').not.toBeNull();
    });

  afterAll(() => {
    const found = [...caught.values()].filter((law) => law !== null).length;
    expect(found / Object.keys(secondProcessFaults).length).toBeGreaterThanOrEqual(GOAL);
  });
});
