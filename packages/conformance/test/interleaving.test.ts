import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '@gateramp/adapters-store-memory';
import type { RowWrite, Store } from '@gateramp/core/ports';
import { describeLaws, interleavingLaws, replayInterleaving } from '@gateramp/conformance';
import { storeSubject } from '../../adapters-store-memory/test/memory-subjects.js';
import { isDeep, runs } from '../../../tests/depth.js';

const runner = { describe, it: (title: string, run: () => Promise<void>) => it(title, run) };

describeLaws([...interleavingLaws, ...replayInterleaving], { ...storeSubject(), interleavings: runs(20, 100) }, runner);

/** A store that overwrites sessions which have changed since they were read. */
function forgetfulStore(): Store {
  const inner = memoryStore();
  const commit: Store['commit'] = async (change) => {
    const sessions = await Promise.all(
      change.sessions.map(async (write): Promise<RowWrite<typeof write.row>> => {
        const stored = write.expectedVersion === null ? null : await inner.find('session', change.scope, write.row.id);
        return stored === null
          ? write
          : { row: { ...write.row, version: stored.version + 1 }, expectedVersion: stored.version };
      }),
    );
    return inner.commit({ ...change, sessions });
  };
  return new Proxy(inner, {
    get: (target, member) => (member === 'commit' ? commit : (Reflect.get(target, member) as unknown)),
  });
}

it('a store that overwrites what has changed since it was read is caught', async () => {
  const subject = {
    ...storeSubject(),
    interleavings: 200,
    // A seed that finds it soon.
    ...(isDeep ? {} : { seed: 8 }),
    create: async () => ({ store: forgetfulStore(), close: async () => {} }),
  };
  const usual = fc.readConfigureGlobal();
  // The fault is known, so the failure need not be shrunk.
  fc.configureGlobal({ ...usual, endOnFailure: true });
  try {
    await expect(interleavingLaws[0]?.run(subject)).rejects.toThrow(/Property failed/);
  } finally {
    fc.configureGlobal(usual);
  }
});
