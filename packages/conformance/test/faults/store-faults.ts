import type { Lane, Task } from '@gateramp/core/domain';
import {
  emptyChange,
  type Change,
  type ClaimedDelivery,
  type ConsumerName,
  type IdempotencyRef,
  type Store,
} from '@gateramp/core/ports';
import { auditFaults } from './audit-faults.js';
import { eventListFaults } from './event-list-faults.js';
import { aTurn, overStore } from './over.js';

/** Each makes one mistake that real stores have made, over any store. */
export const storeFaults = {
  ...auditFaults,
  ...eventListFaults,

  'events kept on a stale commit': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const outcome = await inner.commit(change);
        if (outcome.kind === 'stale')
          await inner.commit({ ...emptyChange(change.scope, change.now), events: change.events });
        return outcome;
      },
    }),

  'check, await, write': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        for (const { row, expectedVersion } of change.sessions) {
          const stored = await inner.find('session', row, row.id);
          if ((stored?.version ?? null) !== expectedVersion) return { kind: 'stale' };
        }
        await aTurn();
        return inner.commit(await overwriting(inner, change));
      },
    }),

  'an attempt counted at claim': (inner: Store) =>
    overStore(inner, {
      claimOne: { delivery: async (...args) => counted(await inner.claimOne('delivery', ...args)) },
      claim: {
        delivery: async (request) => (await inner.claim('delivery', request)).map((claimed) => counted(claimed)),
      },
    }),

  'key scope without the partner': (inner: Store) =>
    overStore(inner, {
      findReply: (ref, now) => inner.findReply(withoutPartner(ref), now),
      commit(change) {
        const { idempotency } = change;
        return inner.commit(
          idempotency === null
            ? change
            : { ...change, idempotency: { ...idempotency, ref: withoutPartner(idempotency.ref) } },
        );
      },
    }),

  'a body that was parsed and serialized again': (inner: Store) =>
    overStore(inner, {
      list: {
        session_event: async (...args) => {
          const events = await inner.list('session_event', ...args);
          return events.map((event) => ({ ...event, body: JSON.stringify(JSON.parse(event.body)) }));
        },
      },
    }),

  'unstable ordering': (inner: Store) => {
    let reads = 0;
    return overStore(inner, {
      list: {
        session: async (...args) => {
          const rows = await inner.list('session', ...args);
          return (reads += 1) % 2 === 0 ? rows.toReversed() : rows;
        },
      },
    });
  },

  'two live leases': (inner: Store) => {
    const handed: ClaimedDelivery[] = [];
    return overStore(inner, {
      claim: {
        delivery: async (request) => {
          const claimed = [...(await inner.claim('delivery', request)), ...handed].slice(0, request.limit);
          handed.push(...claimed);
          return claimed.map(({ event, delivery }) => ({
            event,
            delivery: { ...delivery, leaseToken: request.token },
          }));
        },
      },
    });
  },

  'a task run twice': (inner: Store) => {
    const handed: Task[] = [];
    return overStore(inner, {
      claim: {
        task: async (request) => {
          const claimed = [...(await inner.claim('task', request)), ...handed].slice(0, request.limit);
          handed.push(...claimed);
          return claimed.map((task) => ({ ...task, leaseToken: request.token }));
        },
      },
    });
  },

  'a hole in the sequence': (inner: Store) =>
    overStore(inner, {
      list: {
        session_event: async (...args) => {
          const events = await inner.list('session_event', ...args);
          return events.filter((event) => event.sequence !== 2);
        },
      },
    }),

  'a key that outlives its expiry by a millisecond': (inner: Store) =>
    overStore(inner, {
      findReply: (ref, now) => inner.findReply(ref, now - 1),
    }),

  'a delivery for an endpoint that is not set': (inner: Store) =>
    overStore(inner, {
      commit: (change) =>
        inner.commit({ ...change, deliveries: change.deliveries.map(({ row }) => ({ row, when: 'always' })) }),
    }),

  'a counter that is read, then written': (inner: Store) => {
    const values = new Map<string, number>();
    return overStore(inner, {
      readCounters: async (_, names) => names.map((name) => String(values.get(name) ?? 0)),
      async commit(change) {
        const read = change.counters.map(({ name, delta }) => [name, (values.get(name) ?? 0) + Number(delta)] as const);
        await aTurn();
        for (const [name, value] of read) values.set(name, value);
        return inner.commit({ ...change, counters: [] });
      },
    });
  },

  'counters read one after another': (inner: Store) =>
    overStore(inner, {
      async readCounters(scope, names) {
        const values: string[] = [];
        for (const name of names) {
          values.push(...(await inner.readCounters(scope, [name])));
          await aTurn();
        }
        return values;
      },
    }),

  "a limit applied before an endpoint's share": (inner: Store) =>
    overStore(inner, {
      claim: {
        delivery: (request) =>
          inner.claim('delivery', { ...request, limit: Math.min(request.limit, request.perEndpoint) }),
      },
    }),

  'the stored status taken for the effective one': (inner: Store) =>
    overStore(inner, {
      list: { session: (scope, filter, page) => inner.list('session', scope, filter, page, 0) },
    }),

  "a foreign mode's clock": (inner: Store) =>
    overStore(inner, {
      claim: {
        delivery: (request) =>
          inner.claim('delivery', { ...request, now: { test: request.now.live, live: request.now.live } }),
      },
    }),

  'a use that overwrites a later one': (inner: Store) => {
    const noted = new Map<string, number>();
    return overStore(inner, {
      noteKeyUse: async (hash, at) => void noted.set(hash, at),
      async listKeys(partnerId) {
        const keys = await inner.listKeys(partnerId);
        return keys.map(({ key }) => ({ key, lastUsedAt: noted.get(key.hash) ?? null }));
      },
    });
  },

  'a last use lost with the replaced row': (inner: Store) => {
    const used = new Set<string>();
    return overStore(inner, {
      noteKeyUse: (hash, at) => (used.add(hash), inner.noteKeyUse(hash, at)),
      save: { key: (key) => (used.delete(key.hash), inner.save('key', key)) },
      async listKeys(partnerId) {
        const keys = await inner.listKeys(partnerId);
        return keys.map(({ key, lastUsedAt }) => ({ key, lastUsedAt: used.has(key.hash) ? lastUsedAt : null }));
      },
    });
  },

  'a commit that ignores the consumers': (inner: Store) =>
    overStore(inner, {
      commit: (change) => inner.commit({ ...change, consumers: null }),
    }),

  'consumers that are read, then written': (inner: Store) => {
    let consumers: readonly ConsumerName[] = [];
    return overStore(inner, {
      readConsumers: async () => ({
        version: consumers.length,
        consumers: consumers.map((one) => ({ ...one, isRemoved: false })),
      }),
      async registerConsumers(more) {
        const read = consumers;
        await aTurn();
        consumers = [...read, ...more];
      },
    });
  },

  'documents that are overwritten': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const documents = [];
        for (const write of change.documents) {
          const stored = await inner.find('document', change.scope, write.row.noun, write.row.id);
          const expectedVersion = stored?.version ?? null;
          documents.push({ row: { ...write.row, version: (expectedVersion ?? 0) + 1 }, expectedVersion });
        }
        return inner.commit({ ...change, documents });
      },
    }),

  'documents of one noun only': (inner: Store) => {
    const plain = (change: Change): Change => ({
      ...change,
      documents: change.documents.map((write) => ({ ...write, row: { ...write.row, noun: 'document' } })),
    });
    return overStore(inner, {
      commit: (change) => inner.commit(plain(change)),
      find: { document: (scope, _noun, id) => inner.find('document', scope, 'document', id) },
      list: { document: (scope, _noun, filter, page) => inner.list('document', scope, 'document', filter, page) },
    });
  },

  'an ignored group': (inner: Store) =>
    overStore(inner, {
      list: {
        document: (scope, noun, filter, page) => inner.list('document', scope, noun, { ...filter, group: null }, page),
      },
    }),

  'a document reaped by its first date': (inner: Store) => {
    const first = new Map<string, number>();
    return overStore(inner, {
      async commit(change) {
        for (const { row } of change.documents)
          if (row.keepUntil !== null && !first.has(row.id)) first.set(row.id, row.keepUntil);
        return inner.commit({
          ...change,
          documents: change.documents.map(({ row, expectedVersion }) => ({
            row: { ...row, keepUntil: first.get(row.id) ?? row.keepUntil },
            expectedVersion,
          })),
        });
      },
    });
  },

  'a replay of a delivery that it does not check': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const replays = [];
        for (const row of change.replays) {
          const stored = await inner.find('delivery', row, row.id);
          // Writes the decided state over the current one, like an update by id alone.
          if (stored?.delivery.status !== 'dead_lettered') return inner.commit({ ...change, replays: [] });
          replays.push({ ...row, replayCount: stored.delivery.replayCount + 1 });
        }
        return inner.commit({ ...change, replays });
      },
    }),

  'a replay that is checked, then written': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const stored = await Promise.all(change.replays.map((row) => inner.find('delivery', row, row.id)));
        const wasDead = stored.length > 0 && stored.every((found) => found?.delivery.status === 'dead_lettered');
        await aTurn();
        const outcome = await inner.commit(change);
        return wasDead && outcome.kind === 'stale' ? { kind: 'committed' } : outcome;
      },
    }),

  'a replay that is not queued': (inner: Store) => {
    const replayed = new Set<string>();
    return overStore(inner, {
      async commit(change) {
        const outcome = await inner.commit(change);
        if (outcome.kind === 'committed') for (const { id } of change.replays) replayed.add(id);
        return outcome;
      },
      claimOne: {
        delivery: async (owner, id, lease) => (replayed.has(id) ? null : inner.claimOne('delivery', owner, id, lease)),
      },
    });
  },

  'failures that a success does not reset': (inner: Store) => {
    let failures = 0;
    return overStore(inner, {
      async recordDelivery(outcome) {
        const answer = await inner.recordDelivery(outcome);
        if (outcome.attempt !== null && outcome.next.status !== 'delivered') failures += 1;
        return answer;
      },
      find: {
        endpoint_health: async (scope) => {
          const health = await inner.find('endpoint_health', scope);
          return health === null ? null : { ...health, consecutiveFailures: failures };
        },
      },
    });
  },

  'an endpoint that is overwritten': (inner: Store) =>
    overStore(inner, {
      async commit(change) {
        const endpoints = [];
        for (const { row } of change.endpoints) endpoints.push({ row, expected: await inner.findEndpoint(row) });
        return inner.commit({ ...change, endpoints });
      },
    }),

  'one lane for all consumers': (inner: Store) => {
    const shared = (lane: Lane): Lane => (lane === 'retry' ? lane : 'first');
    return overStore(inner, {
      commit: (change) =>
        inner.commit({
          ...change,
          deliveries: change.deliveries.map(({ row, when }) => ({ row: { ...row, lane: shared(row.lane) }, when })),
        }),
      claim: { delivery: (request) => inner.claim('delivery', { ...request, lane: shared(request.lane) }) },
    });
  },
} satisfies Record<string, (inner: Store) => Store>;

function counted<Claimed extends ClaimedDelivery | null>(claimed: Claimed): Claimed {
  if (claimed === null) return claimed;
  return { ...claimed, delivery: { ...claimed.delivery, attemptCount: claimed.delivery.attemptCount + 1 } };
}

function withoutPartner(ref: IdempotencyRef): IdempotencyRef {
  return { ...ref, scope: ref.scope.slice(ref.scope.indexOf('/') + 1) };
}

/** The same change, based on the currently stored versions. */
async function overwriting(inner: Store, change: Change): Promise<Change> {
  const sessions = [];
  for (const write of change.sessions) {
    const stored = await inner.find('session', write.row, write.row.id);
    const version = stored?.version ?? null;
    sessions.push(version === null ? write : { row: { ...write.row, version: version + 1 }, expectedVersion: version });
  }
  return { ...change, sessions };
}
