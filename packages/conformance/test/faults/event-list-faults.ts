import type { Store } from '@gateramp/core/ports';
import { overStore } from './over.js';

/** Mistakes of lists of events, over any store. */
export const eventListFaults = {
  'events listed by their ids': (inner: Store) =>
    overStore(inner, {
      list: {
        event: async (...args) => {
          const events = await inner.list('event', ...args);
          return events.toSorted((one, other) => (one.id < other.id ? 1 : -1));
        },
      },
    }),

  'events listed by the times at which they were decided': (inner: Store) => {
    const decided = new Map<string, number>();
    return overStore(inner, {
      commit(change) {
        for (const { id, createdAt } of change.events) decided.set(id, createdAt);
        return inner.commit(change);
      },
      list: {
        event: async (scope, filter, page) => {
          const events = await inner.list('event', scope, filter, page);
          if (page.start.kind !== 'before') return events;
          const cursor = decided.get(page.start.id) ?? 0;
          return events.filter(({ id }) => (decided.get(id) ?? cursor) >= cursor);
        },
      },
    });
  },

  'a cursor of events that every partner can use': (inner: Store) =>
    overStore(inner, {
      list: {
        event: async (scope, filter, page) => {
          const events = await inner.list('event', scope, filter, page);
          if (events.length > 0 || page.start.kind === 'newest') return events;
          const isTheirs = (await inner.find('event', scope, page.start.id)) !== null;
          return isTheirs ? [] : inner.list('event', scope, filter, { ...page, start: { kind: 'newest' } });
        },
      },
    }),
};
