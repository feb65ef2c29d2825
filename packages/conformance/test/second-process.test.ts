import { AssertionError } from 'node:assert';
import { storeLaws, type StoreSubject } from '@gateramp/conformance';
import { afterAll, describe, expect, it } from 'vitest';
import { sqliteSubject } from '../../adapters-store-sqlite/test/sqlite-subject.js';
import { secondProcessFaults, type FaultyProcess } from './faults/second-process-faults.js';

/** On a file of SQLite: a process is a store over connections of its own. */
function processesWith(fault: FaultyProcess): StoreSubject {
  return {
    async create() {
      const trial = await sqliteSubject.create();
      return {
        ...trial,
        reopen: async () => {
          const opened = await trial.reopen();
          return { ...opened, store: fault(opened.store) };
        },
      };
    },
  };
}

const LAWS = storeLaws.filter(({ topic }) => topic.startsWith('Store: several connections'));

/** Stops at the first: a fault is caught by one law. */
async function lawThatCaught(fault: FaultyProcess): Promise<string | null> {
  for (const law of LAWS.toReversed()) {
    try {
      await law.run(processesWith(fault));
    } catch (error) {
      if (error instanceof AssertionError) return law.title;
      throw error;
    }
  }
  return null;
}

const GOAL = 0.95;

describe('mistakes of one process among several', () => {
  const caught = new Map<string, string | null>();

  it('finds none in a sound store', async () => {
    expect(await lawThatCaught((inner) => inner)).toBeNull();
  });

  for (const [name, fault] of Object.entries(secondProcessFaults))
    it.concurrent(name, { timeout: 60_000 }, async () => {
      const law = await lawThatCaught(fault);
      caught.set(name, law);
      expect(law, 'the law that caught it').not.toBeNull();
    });

  afterAll(() => {
    const found = [...caught.values()].filter((law) => law !== null).length;
    expect(found / Object.keys(secondProcessFaults).length).toBeGreaterThanOrEqual(GOAL);
  });
});
