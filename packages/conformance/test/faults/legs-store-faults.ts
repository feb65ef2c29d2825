import { memoryStore } from '@gateramp/adapters-store-memory';
import { memoryLegsStore, type LegsStore } from '@gateramp/provider-legs';
import type { LegsStoreSubject } from '@gateramp/conformance';
import { over } from './over.js';

const NOTHING = { documents: [], entries: [] };

/** Mistakes with the audit entries of provider legs, over any store. */
export const legsStoreFaults = {
  'audit entries that are never written': (inner: LegsStore) =>
    over(inner, { commit: ({ audit: _, ...change }) => inner.commit(change) }),

  'a change committed before its audit entries': (inner: LegsStore) =>
    over(inner, {
      async commit({ audit, ...change }) {
        const done = await inner.commit(change);
        return done === 'stale' || audit === undefined ? done : inner.commit({ ...NOTHING, audit });
      },
    }),

  'audit entries committed before their change': (inner: LegsStore) =>
    over(inner, {
      async commit({ audit, ...change }) {
        if (audit !== undefined && (await inner.commit({ ...NOTHING, audit })) === 'stale') return 'stale';
        return inner.commit(change);
      },
    }),

  'a change that is kept although another took its place in the trail': (inner: LegsStore) =>
    over(inner, {
      async commit(given) {
        const { audit: _, ...change } = given;
        const done = await inner.commit(given);
        if (done === 'stale') await inner.commit(change);
        return done;
      },
    }),
};

/** The store in memory, with a fault if one is given. */
export function legsStoreSubject(fault = (inner: LegsStore) => inner): LegsStoreSubject {
  return {
    create: async () => {
      const gateStore = memoryStore();
      return { store: fault(memoryLegsStore(gateStore)), gateStore, close: async () => undefined };
    },
  };
}
