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

  'a claim that does not know the time of sandboxes': (inner: LegsStore) =>
    over(inner, { claimDue: ({ sandboxes: _, ...claim }) => inner.claimDue(claim) }),

  'a lease of a sandbox by the time of the mode': (inner: LegsStore) =>
    over(inner, {
      async claimDue(claim) {
        const claimed = await inner.claimDue(claim);
        const wrong = claimed.map((document) => ({
          ...document,
          version: document.version + 1,
          dueAt: claim.now + claim.leaseMs,
        }));
        await inner.commit({ documents: wrong, entries: [] });
        return claimed;
      },
    }),

  'a claim that takes the work of a paused sandbox by the time of the mode': (inner: LegsStore) =>
    over(inner, {
      claimDue: ({ sandboxes = new Map(), ...claim }) => {
        const later = [...sandboxes].map(([id, now]) => [id, Math.max(now, claim.now)] as const);
        return inner.claimDue({ ...claim, sandboxes: new Map(later) });
      },
    }),

  'a claim with the limit for each sandbox': (inner: LegsStore) =>
    over(inner, {
      claimDue: ({ sandboxes = new Map(), ...claim }) =>
        inner.claimDue({ ...claim, sandboxes, limit: claim.limit * (1 + sandboxes.size) }),
    }),

  'due documents of every partner': (inner: LegsStore) =>
    over(inner, { listDue: ({ partnerId: _, ...query }) => inner.listDue(query) }),
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
