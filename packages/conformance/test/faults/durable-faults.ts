import { memoryStore } from '@gateramp/adapters-store-memory';
import type { OpenStore, StoreSubject } from '@gateramp/conformance';
import { Outage, type ClaimedDelivery, type Finders, type Store } from '@gateramp/core/ports';
import { over, overStore } from './over.js';
import { storeFaults } from './store-faults.js';

const open = (store: Store): OpenStore => ({ store, close: async () => undefined });

/** Simulates durability in memory: every connection is a view of one store, modified by `seen`. */
export function durableSubject(seen: (inner: Store) => Store = (inner) => inner): StoreSubject {
  return {
    async create() {
      const memory = memoryStore();
      let isBroken = false;
      const store = over<Store>(memory, {
        isDurable: true,
        commit: async (change) => {
          if (isBroken && change.deliveries.length > 0) throw new Error('planted');
          return memory.commit(change);
        },
        recordDelivery: async (outcome) => {
          if (isBroken) throw new Error('planted');
          return memory.recordDelivery(outcome);
        },
      });
      return {
        ...open(store),
        reopen: async () => open(seen(store)),
        breakWrites: async () => {
          isBroken = true;
          return async () => {
            isBroken = false;
          };
        },
      };
    },
    unreachable: async () => open(broken(new Outage('the database is away'))),
  };
}

const broken = (error: Error): Store => new Proxy(memoryStore(), { get: () => () => Promise.reject(error) });

/** The deliveries claimed over the connections to one store. */
const handed = new WeakMap<Store, readonly ClaimedDelivery[]>();

/** Each makes one mistake that shows between connections, or without any. */
export const durableFaults = {
  'a write that is visible to its own connection only': durableSubject(() => over(memoryStore(), { isDurable: true })),

  'a session cached from its first read': durableSubject((inner) => {
    const read = new Map<string, ReturnType<Finders['session']>>();
    return overStore(inner, {
      find: {
        session: (scope, id) => {
          if (!read.has(id)) read.set(id, inner.find('session', scope, id));
          return read.get(id) ?? inner.find('session', scope, id);
        },
      },
      listKeys: async () => [],
    });
  }),

  'a version checked per connection': durableSubject(storeFaults['check, await, write']),

  'a lease that is visible to its own connection only': durableSubject((inner) =>
    overStore(inner, {
      claim: {
        delivery: async (request) => {
          const claimed = await inner.claim('delivery', request);
          const known = handed.get(inner) ?? [];
          handed.set(inner, [...known, ...claimed]);
          return [...claimed, ...known].slice(0, request.limit);
        },
      },
    }),
  ),

  'a durable store that cannot be opened twice': {
    create: async () => open(over(memoryStore(), { isDurable: true })),
  },

  'an outage reported as an ordinary error': {
    ...durableSubject(),
    unreachable: async () => open(broken(new Error('ECONNREFUSED'))),
  },

  'an outage that is ignored': {
    ...durableSubject(),
    unreachable: async () => open(memoryStore()),
  },
} satisfies Record<string, StoreSubject>;
