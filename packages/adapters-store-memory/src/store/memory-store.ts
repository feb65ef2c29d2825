import type { Instant, PageRequest } from '@gateramp/core/domain';
import type {
  AuditWrite,
  Claims,
  ClaimsOfOne,
  ConsumerStore,
  CountersOfEach,
  CreatedWithin,
  Finders,
  Listers,
  OperatorReads,
  PartnerStore,
  Savers,
  Settings,
  Store,
  StoreReads,
  WorkStore,
} from '@gateramp/core/ports';
import { commitChange } from './commit-change.js';
import { matchesDelivery, matchesEvent, matchesSession, matchesTransaction } from './filters.js';
import { operatorReads } from './operator-reads.js';
import { nextDue, sandboxesDue } from './next-due.js';
import { reapRows } from './reap-rows.js';
import { emptyTables, type Tables } from './tables.js';

/** A store in memory, with its audit trail for other stores of the process. */
export interface MemoryStore extends Store, OperatorReads {
  /** Adds the entries at once. Returns false and adds nothing if the trail does not end at the head that they continue. */
  appendAudit(audit: AuditWrite): boolean;
}

/**
 * A store for one process that keeps everything in memory and loses it with the process. Every method runs synchronously, so each is
 * atomic. Rows are shared with the caller, never copied: they are immutable. It is its own port `operator`.
 */
export function memoryStore(): MemoryStore {
  const tables = emptyTables();
  return {
    contract: 2,
    isDurable: false,
    commit: async (change) => commitChange(tables, change),
    findReply: async (ref, now) => tables.idempotency.read(ref, now),
    reap: async (request) => reapRows(tables, request),
    ...reads(tables),
    ...work(tables),
    ...partners(tables),
    ...consumers(tables),
    listAudit: async (request) => tables.audit.list(request),
    appendAudit: (audit) => {
      if (!tables.audit.accepts(audit)) return false;
      tables.audit.append(audit);
      return true;
    },
    ...settings(tables),
    ...operatorReads(tables),
  };
}

function reads({
  sessions,
  intents,
  transactions,
  documents,
  deliveries,
  events,
  tasks,
  counters,
}: Tables): StoreReads {
  const finders: Finders = {
    session: async (scope, id) => sessions.find(scope, id),
    intent: async (scope, id) => intents.find(scope, id),
    intent_by_operation: async (mode, provider, operationId) => intents.findByOperation(mode, provider, operationId),
    transaction: async (scope, refid) => transactions.find(scope, refid),
    document: async (scope, noun, id) => documents.find(scope, noun, id),
    event: async (scope, id) => events.find(scope, id),
    delivery: async (scope, id) => deliveries.find(scope, id),
    endpoint_health: async (scope) => deliveries.health(scope),
    task: async (scope, id) => tasks.find(scope, id),
  };
  const listers: Listers = {
    session: async (scope, filter, page, now) => sessions.page(scope, page, matchesSession(filter, now)),
    transaction: async (scope, filter, page) => transactions.page(scope, page, matchesTransaction(filter)),
    document: async (scope, noun, filter, page) => documents.page(scope, noun, page, filter),
    delivery: async (scope, filter, page) => deliveries.page(scope, page, matchesDelivery(filter)),
    event: async (scope, filter, page) => events.show(scope, page, matchesEvent(filter)),
    session_event: async (scope, sessionId) => events.ofSession(scope, sessionId),
    transaction_of_hash: async (scope, txHash) => transactions.ofHash(scope, txHash),
  };
  const countersOfEach: CountersOfEach = {
    session: async (times, scope, filter, page, now) =>
      countsWithin(times, page, (all, bounds) =>
        sessions.page(scope, all, matchesSession({ ...filter, ...bounds }, now)),
      ),
    delivery: async (times, scope, filter, page) =>
      countsWithin(times, page, (all, bounds) =>
        deliveries.page(scope, all, matchesDelivery({ ...filter, ...bounds })).map(({ delivery }) => delivery),
      ),
  };
  return {
    find: (noun, ...key) => finders[noun](...key),
    list: (noun, ...args) => listers[noun](...args),
    counts: {
      count: async (noun, ...args) => (await listers[noun](...args)).length,
      countEach: (noun, ...args) => countersOfEach[noun](...args),
    },
    readCounters: async (_, names) => names.map((name) => counters.read(name)),
  };
}

/** Reads the rows of all times in one read, because each read iterates over all newer rows. */
function countsWithin(
  times: readonly CreatedWithin[],
  { start, limit }: PageRequest,
  read: (page: PageRequest, bounds: CreatedWithin) => readonly { readonly createdAt: Instant }[],
): readonly number[] {
  const rows = read(
    { start, limit: Number.POSITIVE_INFINITY },
    {
      createdAfter: Math.min(...times.map(({ createdAfter }) => createdAfter)),
      createdBefore: Math.max(...times.map(({ createdBefore }) => createdBefore)),
    },
  );
  return times.map(({ createdAfter, createdBefore }) => {
    const within = rows.filter(({ createdAt }) => createdAfter <= createdAt && createdAt < createdBefore);
    return Math.min(within.length, limit + 1);
  });
}

function work(tables: Tables): WorkStore {
  const { deliveries, tasks } = tables;
  const claims: Claims = {
    delivery: async (request) => deliveries.claim(request),
    task: async (request) => tasks.claim(request),
  };
  const claimsOfOne: ClaimsOfOne = {
    delivery: async (owner, id, lease) => deliveries.claimOne(owner, id, lease),
    task: async (owner, id, lease) => tasks.claimOne(owner, id, lease),
  };
  return {
    claim: (kind, request) => claims[kind](request),
    claimOne: (kind, ...args) => claimsOfOne[kind](...args),
    recordDelivery: async (outcome) => deliveries.recordOutcome(outcome),
    nextDue: async (mode, kinds) => nextDue(tables, mode, kinds),
    sandboxesDue: async (request) => sandboxesDue(tables, request),
  };
}

function partners({ partners: table, audit: trail }: Tables): PartnerStore {
  const saved = (audit: AuditWrite | null, save: () => void): 'saved' | 'stale' => {
    if (!trail.accepts(audit)) return 'stale';
    save();
    trail.append(audit);
    return 'saved';
  };
  const savers: Savers = {
    partner: async (partner, audit) => saved(audit, () => table.savePartner(partner)),
    suspension: async (suspension, audit) => saved(audit, () => table.saveSuspension(suspension)),
    key: async (key, audit) => saved(audit, () => table.saveKey(key)),
    endpoint: async (endpoint, audit) => saved(audit, () => table.saveEndpoint(endpoint)),
  };
  return {
    findKey: async (hash) => table.holder(hash),
    findPartner: async (id) => table.partner(id),
    findEndpoint: async (scope) => table.endpoint(scope),
    save: (noun, row, audit = null) => savers[noun](row, audit),
    noteKeyUse: async (hash, at) => table.noteKeyUse(hash, at),
    listKeys: async (partnerId) => table.keysOf(partnerId),
  };
}

function consumers({ consumers: table, audit: trail }: Tables): ConsumerStore {
  return {
    readConsumers: async () => table.read(),
    registerConsumers: async (names) => table.register(names),
    removeConsumer: async (name, audit = null) => {
      if (!trail.accepts(audit)) return 'stale';
      table.remove(name);
      trail.append(audit);
      return 'removed';
    },
  };
}

function settings({ settings: values }: Tables): Settings {
  return {
    readSetting: async (name) => values.get(name) ?? null,
    swapSetting: async (name, expected, value) => {
      const present = values.get(name) ?? null;
      if (present !== null && present !== expected) return present;
      if (present === null && expected !== null)
        throw new Error(`The setting ${name} is missing, although settings are never deleted.`);
      values.set(name, value);
      return value;
    },
    listSettings: async (prefix) => new Map([...values].filter(([name]) => name.startsWith(prefix))),
  };
}
