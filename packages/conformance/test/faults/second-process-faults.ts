import { memoryStore } from '@gateramp/adapters-store-memory';
import { emptyChange, type Change, type DeliveryOutcome, type Store } from '@gateramp/core/ports';
import { over, overStore } from './over.js';

/** One process of a shared store, with a mistake. `inner` is correct and durable. */
export type FaultyProcess = (inner: Store) => Store;

/** The members by which a change can be split. */
type Member = Exclude<keyof Change, 'scope' | 'now' | 'consumers'>;

/** Writes these members of each change only to the memory of the process, from which `reads` are answered. */
function keptInMemory(
  members: readonly Member[],
  reads: readonly (keyof Store)[],
  nouns?: readonly string[],
): FaultyProcess {
  return (inner) => {
    const memory = memoryStore();
    const isOurs = (noun: unknown): boolean =>
      nouns === undefined || (typeof noun === 'string' && nouns.includes(noun));
    const asked = (name: keyof Store) => {
      const method = (store: Store): ((...args: unknown[]) => unknown) =>
        // A method of the port, called with the arguments of the law.
        (store[name] as (...args: unknown[]) => unknown).bind(store);
      return (...args: unknown[]) => method(isOurs(args[0]) ? memory : inner)(...args);
    };
    return over(inner, {
      ...Object.fromEntries(reads.map((name) => [name, asked(name)])),
      async commit(change) {
        const { kept, written } = split(change, members);
        const outcome = await inner.commit(written);
        if (outcome.kind !== 'committed') return outcome;
        return memory.commit(kept);
      },
    });
  };
}

function split(change: Change, members: readonly Member[]): { readonly kept: Change; readonly written: Change } {
  const empty = emptyChange(change.scope, change.now);
  const pick = (wanted: boolean): Change => ({
    ...change,
    ...Object.fromEntries(
      Object.entries(empty).filter(([name]) => isMember(name) && members.includes(name) !== wanted),
    ),
  });
  return { kept: { ...pick(true), consumers: null }, written: pick(false) };
}

function isMember(name: string): name is Member {
  return name !== 'scope' && name !== 'now' && name !== 'consumers';
}

/** Always returns the first result of these methods. `noun` limits it to one kind of row. */
function remembering(name: keyof Store, noun?: string): FaultyProcess {
  return (inner) => {
    const known = new Map<string, unknown>();
    // A method of the port, called with the arguments of the law.
    const method = (inner[name] as (...args: unknown[]) => unknown).bind(inner);
    return over(inner, {
      [name]: (...args: unknown[]) => {
        if (noun !== undefined && args[0] !== noun) return method(...args);
        const key = JSON.stringify(args);
        if (!known.has(key)) known.set(key, method(...args));
        return known.get(key);
      },
    });
  };
}

/** Redirects calls of these methods to the memory of the process. */
function inMemory(...names: readonly (keyof Store)[]): FaultyProcess {
  return (inner) => {
    const memory = memoryStore();
    return over(inner, Object.fromEntries(names.map((name) => [name, Reflect.get(memory, name)])));
  };
}

function recordingInMemory(inner: Store): Store {
  const recorded = new Map<string, DeliveryOutcome>();
  return overStore(inner, {
    recordDelivery: async (outcome) => {
      recorded.set(outcome.next.id, outcome);
      return 'recorded';
    },
    find: {
      delivery: async (scope, id) => {
        const found = await inner.find('delivery', scope, id);
        const outcome = recorded.get(id);
        if (found === null || outcome === undefined) return found;
        return { delivery: outcome.next, attempts: outcome.attempt === null ? [] : [outcome.attempt] };
      },
    },
  });
}

/** Hides reaped rows from its own process only, while the database keeps them. */
function reapingInMemory(inner: Store): Store {
  let reapedUntil = -Infinity;
  return overStore(inner, {
    reap: async ({ now, keepEnded }) => {
      reapedUntil = now - keepEnded;
      return 1;
    },
    find: {
      delivery: async (scope, id) => {
        const found = await inner.find('delivery', scope, id);
        const end = found?.delivery.deliveredAt ?? found?.delivery.deadLetteredAt ?? Infinity;
        return end <= reapedUntil ? null : found;
      },
      document: async (scope, noun, id) => {
        const found = await inner.find('document', scope, noun, id);
        return (found?.keepUntil ?? Infinity) <= reapedUntil ? null : found;
      },
    },
  });
}

/** The process shows its pending writes, whether or not the database accepted them. */
function aheadOnFailure(inner: Store): Store {
  const sessions = new Map<string, Change['sessions'][number]['row']>();
  return overStore(inner, {
    async commit(change) {
      for (const { row } of change.sessions) sessions.set(row.id, row);
      const outcome = await inner.commit(change);
      for (const { row } of change.sessions) sessions.delete(row.id);
      return outcome;
    },
    find: { session: async (scope, id) => sessions.get(id) ?? inner.find('session', scope, id) },
  });
}

/** Writes in two transactions, of which the second may fail. */
function inTwoCommits(...first: readonly Member[]): FaultyProcess {
  return (inner) =>
    over(inner, {
      async commit(change) {
        const { kept, written } = split(change, first);
        const outcome = await inner.commit(kept);
        return outcome.kind === 'committed' ? inner.commit(written) : outcome;
      },
    });
}

/** Mistakes of one process among several, and of a process whose database fails midway. */
export const secondProcessFaults: Readonly<Record<string, FaultyProcess>> = {
  'recordDelivery that stays in the process': recordingInMemory,
  'removeConsumer that stays in the process': (inner) => {
    const removed = new Set<string>();
    return over(inner, {
      removeConsumer: async (name) => {
        removed.add(name);
        return 'removed';
      },
      readConsumers: async () => {
        const { version, consumers } = await inner.readConsumers();
        return {
          version: version + removed.size,
          consumers: consumers.map((one) => (removed.has(one.name) ? { ...one, isRemoved: true } : one)),
        };
      },
    });
  },
  'registerConsumers that stays in the process': inMemory('registerConsumers', 'removeConsumer', 'readConsumers'),
  'reap that stays in the process': reapingInMemory,
  'noteKeyUse that stays in the process': (inner) => {
    const uses = new Map<string, number>();
    return over(inner, {
      noteKeyUse: async (hash, at) => void uses.set(hash, at),
      listKeys: async (partnerId) =>
        (await inner.listKeys(partnerId)).map((one) => ({
          ...one,
          lastUsedAt: uses.get(one.key.hash) ?? one.lastUsedAt,
        })),
    });
  },
  'settings that stay in the process': inMemory('readSetting', 'swapSetting'),
  'partners and keys that stay in the process': inMemory(
    'save',
    'findKey',
    'findPartner',
    'findEndpoint',
    'listKeys',
    'noteKeyUse',
  ),
  'sessions that stay in the process': keptInMemory(
    ['sessions', 'events', 'deliveries'],
    ['find', 'list'],
    ['session', 'session_event'],
  ),
  'intents that stay in the process': keptInMemory(['intents'], ['find'], ['intent', 'intent_by_operation']),
  'transactions that stay in the process': keptInMemory(
    ['transactions'],
    ['find', 'list'],
    ['transaction', 'transaction_of_hash'],
  ),
  'documents that stay in the process': keptInMemory(['documents'], ['find', 'list'], ['document']),
  'events and deliveries that stay in the process': keptInMemory(
    ['events', 'deliveries', 'replays'],
    ['find', 'list', 'claim', 'claimOne', 'recordDelivery', 'nextDue'],
  ),
  'tasks that stay in the process': keptInMemory(['tasks', 'finishes'], ['find', 'claim', 'claimOne'], ['task']),
  'counters that stay in the process': keptInMemory(['counters'], ['readCounters']),
  'marks that stay in the process': keptInMemory(['once'], []),
  'replies that stay in the process': keptInMemory(['idempotency'], ['findReply']),
  'a finish that stays in the process': (inner) => {
    const done = new Map<string, Change['finishes'][number]['row']>();
    return overStore(inner, {
      commit: async (change) => {
        const outcome = await inner.commit({ ...change, finishes: [] });
        if (outcome.kind === 'committed') for (const { row } of change.finishes) done.set(row.id, row);
        return outcome;
      },
      find: { task: async (scope, id) => done.get(id) ?? inner.find('task', scope, id) },
    });
  },
  'a replay that stays in the process': (inner) => {
    const replayed = new Map<string, Change['replays'][number]>();
    return overStore(inner, {
      commit: async (change) => {
        const outcome = await inner.commit({ ...change, replays: [] });
        if (outcome.kind === 'committed') for (const row of change.replays) replayed.set(row.id, row);
        return outcome;
      },
      find: {
        delivery: async (scope, id) => {
          const found = await inner.find('delivery', scope, id);
          const delivery = replayed.get(id);
          return found === null || delivery === undefined ? found : { ...found, delivery };
        },
      },
    });
  },
  'a lease of one delivery that stays in the process': (inner) => {
    const leased = new Map<string, { token: string; until: number }>();
    return overStore(inner, {
      claimOne: {
        delivery: async ({ mode }, id, { now, leaseMs, token }) => {
          leased.set(`${mode}/${id}`, { token, until: now + leaseMs });
          return null;
        },
      },
      find: {
        delivery: async (scope, id) => {
          const found = await inner.find('delivery', scope, id);
          const lease = leased.get(`${scope.mode}/${id}`);
          if (found === null || lease === undefined) return found;
          return {
            ...found,
            delivery: { ...found.delivery, leaseToken: lease.token, leaseUntil: lease.until, claims: 1 },
          };
        },
      },
    });
  },
  'an endpoint of a commit that stays in the process': keptInMemory(['endpoints'], ['findEndpoint']),

  'findReply cached forever': remembering('findReply'),
  'findKey cached forever': remembering('findKey'),
  'findPartner cached forever': remembering('findPartner'),
  'findEndpoint cached forever': remembering('findEndpoint'),
  'readSetting cached forever': remembering('readSetting'),
  'readCounters cached forever': remembering('readCounters'),
  'readConsumers cached forever': remembering('readConsumers'),
  'listKeys cached forever': remembering('listKeys'),
  'nextDue cached forever': remembering('nextDue'),
  'an intent cached forever': remembering('find', 'intent'),
  'a transaction cached forever': remembering('find', 'transaction'),
  'a document cached forever': remembering('find', 'document'),
  'a delivery cached forever': remembering('find', 'delivery'),
  'a task cached forever': remembering('find', 'task'),
  'the health of an endpoint cached forever': remembering('find', 'endpoint_health'),
  'a list of sessions cached forever': remembering('list', 'session'),
  'a list of events cached forever': remembering('list', 'event'),
  'a list of deliveries cached forever': remembering('list', 'delivery'),

  'a commit that fails midway and leaves the process ahead of its database': aheadOnFailure,
  'a reply that is written before its commit': inTwoCommits('idempotency'),
  'a mark that is written before its commit': inTwoCommits('once'),
  'a session that is written before its deliveries': inTwoCommits('sessions', 'events'),
  'a counter that is moved before its commit': inTwoCommits('counters'),
  'a failed commit that is acknowledged': (inner) =>
    over(inner, { commit: (change) => inner.commit(change).catch(() => ({ kind: 'committed' as const })) }),
  'a failed commit that is written later': (inner) => {
    let failed: Change | null = null;
    return over(inner, {
      async commit(change) {
        if (failed !== null)
          await inner.commit(failed).then(
            () => (failed = null),
            () => undefined,
          );
        return inner.commit(change).catch((error: unknown) => {
          failed = change;
          throw error;
        });
      },
    });
  },
  'a result that could not be recorded but is shown': (inner) => {
    const shown = recordingInMemory(inner);
    return over(inner, {
      find: (...asked) => shown.find(...asked),
      recordDelivery: async (outcome) => {
        await shown.recordDelivery(outcome);
        return inner.recordDelivery(outcome);
      },
    });
  },
  'a result that could not be recorded and is acknowledged': (inner) =>
    over(inner, { recordDelivery: (outcome) => inner.recordDelivery(outcome).catch(() => 'recorded' as const) }),
};
