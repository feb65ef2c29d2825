import type { Store } from '@gateramp/core/ports';
import { commitChange } from './commit-change.js';
import { matchesDelivery, matchesEvent, matchesSession, matchesTransaction } from './filters.js';
import { nextDue } from './next-due.js';
import { reapRows } from './reap-rows.js';
import { emptyTables, type Tables } from './tables.js';

/**
 * A store for one process that keeps everything in memory and loses it with the process. Every
 * method does its work in one synchronous section, so each is atomic. Rows are shared with the
 * caller, never copied: they are immutable.
 */
export function memoryStore(): Store {
  const tables = emptyTables();
  return {
    isDurable: false,
    commit: async (change) => commitChange(tables, change),
    findReply: async (ref, now) => tables.idempotency.read(ref, now),
    reap: async (request) => reapRows(tables, request),
    ...reads(tables),
    ...work(tables),
    ...partners(tables),
    ...consumers(tables),
    ...settings(tables),
  };
}

function reads({ sessions, intents, transactions, documents, deliveries, events, counters }: Tables) {
  return {
    findSession: async (scope, id) => sessions.find(scope, id),
    listSessions: async (scope, filter, page, now) => sessions.page(scope, page, matchesSession(filter, now)),
    findIntent: async (scope, id) => intents.find(scope, id),
    findIntentByOperation: async (mode, provider, operationId) => intents.findByOperation(mode, provider, operationId),
    findTransaction: async (scope, refid) => transactions.find(scope, refid),
    listTransactions: async (scope, filter, page) => transactions.page(scope, page, matchesTransaction(filter)),
    findDocument: async (scope, noun, id) => documents.find(scope, noun, id),
    listDocuments: async (scope, noun, filter, page) => documents.page(scope, noun, page, filter),
    findEndpointHealth: async (scope) => deliveries.health(scope),
    findDelivery: async (scope, id) => deliveries.find(scope, id),
    listDeliveries: async (scope, filter, page) => deliveries.page(scope, page, matchesDelivery(filter)),
    findEvent: async (scope, id) => events.find(scope, id),
    listEvents: async (scope, filter, page) => events.page(scope, page, matchesEvent(filter)),
    listSessionEvents: async (scope, sessionId) => events.ofSession(scope, sessionId),
    readCounter: async (name) => counters.read(name),
    readCounters: async (names) => names.map((name) => counters.read(name)),
  } satisfies Partial<Store>;
}

function work(tables: Tables) {
  const { deliveries, tasks } = tables;
  return {
    claimDeliveries: async (request) => deliveries.claim(request),
    claimTasks: async (request) => tasks.claim(request),
    claimDelivery: async (mode, id, lease) => deliveries.claimOne(mode, id, lease),
    claimTask: async (mode, id, lease) => tasks.claimOne(mode, id, lease),
    recordDelivery: async (outcome) => deliveries.recordOutcome(outcome),
    findTask: async (mode, id) => tasks.find(mode, id),
    nextDue: async (mode, kinds) => nextDue(tables, mode, kinds),
  } satisfies Partial<Store>;
}

function partners({ partners: table }: Tables) {
  return {
    findKey: async (hash) => table.holder(hash),
    findPartner: async (id) => table.partner(id),
    findEndpoint: async (scope) => table.endpoint(scope),
    savePartner: async (partner) => table.savePartner(partner),
    saveKey: async (key) => table.saveKey(key),
    saveEndpoint: async (endpoint) => table.saveEndpoint(endpoint),
    noteKeyUse: async (hash, at) => table.noteKeyUse(hash, at),
    listKeys: async (partnerId) => table.keysOf(partnerId),
  } satisfies Partial<Store>;
}

function consumers({ consumers: table }: Tables) {
  return {
    readConsumers: async () => table.read(),
    registerConsumers: async (names) => table.register(names),
    removeConsumer: async (name) => table.remove(name),
  } satisfies Partial<Store>;
}

function settings({ settings: values }: Tables) {
  return {
    readSetting: async (name) => values.get(name) ?? null,
    swapSetting: async (name, expected, value) => {
      const present = values.get(name) ?? null;
      if (present !== null && present !== expected) return present;
      if (present === null && expected !== null)
        throw new Error(`The setting ${name} has vanished; settings are never deleted.`);
      values.set(name, value);
      return value;
    },
  } satisfies Partial<Store>;
}
