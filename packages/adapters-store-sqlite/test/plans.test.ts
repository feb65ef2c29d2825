import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@gateramp/conformance';
import { EVERY_ENTRY, type Store, type StoreCounts } from '@gateramp/core/ports';
import type { LegsStore } from '@gateramp/provider-legs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite, sqliteLegsStore, sqliteStore, type SqliteDatabase } from '../src/index.js';

const { ACME, T0 } = rows;
const NEWEST = { start: { kind: 'newest' }, limit: 10 } as const;
const AFTER = { start: { kind: 'after', id: 'ffff' }, limit: 10 } as const;
const TIME = { createdAfter: null, createdBefore: null } as const;
const WINDOW = { createdAfter: T0, createdBefore: T0 + 1 } as const;
const SESSIONS = { status: null, flow: null, currency: null, userReference: null, ...TIME };
const TRANSACTIONS = { status: null, flow: null, sessionId: null, userReference: null, ...TIME };
const DELIVERIES = {
  target: 'webhook',
  status: null,
  eventType: null,
  eventId: null,
  sessionId: null,
  ...TIME,
} as const;
const EVENTS = { type: null, sessionId: null, ...TIME };
const AUDIT = { ...EVERY_ENTRY, order: 'newest_first', beyond: null, limit: 8 } as const;
const LEGS_CLAIM = { kind: 'operation', now: T0, leaseMs: 1, limit: 8 } as const;
const CLAIM = { now: { test: T0, live: T0 }, limit: 8, leaseMs: 1, token: 't' } as const;

let folder: string;
let file: SqliteDatabase;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  file = openSqlite(join(folder, 'gate.db'));
});
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The plans of all statements that read while the store is used. */
async function plansOf(ask: (store: Store, legs: LegsStore) => Promise<unknown>): Promise<readonly string[]> {
  const connection = file.connection();
  const texts = new Map<string, number>();
  const watched = {
    ...connection,
    all: <Row>(text: string, ...values: (string | number | null)[]) => {
      texts.set(text, values.length);
      return connection.all<Row>(text, ...values);
    },
  };
  const spied: SqliteDatabase = {
    ...file,
    connection: () => watched,
    write: (work) => file.write(() => work(watched)),
  };
  await ask(sqliteStore(spied), sqliteLegsStore(spied));
  return [...texts].flatMap(([text, many]) =>
    connection
      .all<{ detail: string }>(`explain query plan ${text}`, ...Array.from({ length: many }, () => 'x'))
      .map(({ detail }) => detail),
  );
}

describe('however much the file holds, an index leads to what is asked for, in its order', () => {
  it.each<[string, Parameters<typeof plansOf>[0], string]>([
    ['sessions', (store) => store.list('session', ACME, SESSIONS, AFTER, T0), 'mode=? AND id<?'],
    ['open ones', (store) => store.list('session', ACME, { ...SESSIONS, status: 'open' }, NEWEST, T0), 'status=?'],
    [
      'expired ones',
      (store) => store.list('session', ACME, { ...SESSIONS, status: 'expired' }, NEWEST, T0),
      'status=?',
    ],
    [
      "a user's",
      (store) => store.list('session', ACME, { ...SESSIONS, userReference: 'u' }, NEWEST, T0),
      'user_reference=?',
    ],
    [
      'those of long ago',
      (store) => store.list('session', ACME, { ...SESSIONS, ...WINDOW }, NEWEST, T0),
      'id>? AND id<?',
    ],
    [
      "a session's transactions",
      (store) => store.list('transaction', ACME, { ...TRANSACTIONS, sessionId: 's' }, NEWEST),
      'session_id=?',
    ],
    [
      'failed transactions',
      (store) => store.list('transaction', ACME, { ...TRANSACTIONS, status: 'failed' }, NEWEST),
      'status=?',
    ],
    ['transactions of a hash', (store) => store.list('transaction_of_hash', ACME, '0x00'), 'tx_hash=?'],
    ['deliveries', (store) => store.list('delivery', ACME, DELIVERIES, AFTER), 'mode=? AND id<?'],
    [
      'dead-lettered ones',
      (store) => store.list('delivery', ACME, { ...DELIVERIES, status: 'dead_lettered' }, NEWEST),
      'status=?',
    ],
    [
      'counts of sessions of some hours',
      (store) =>
        countsOf(store).countEach('session', [WINDOW, WINDOW], ACME, { ...SESSIONS, status: 'completed' }, NEWEST, T0),
      'status=? AND id>? AND id<?',
    ],
    [
      'counts of deliveries of some hours',
      (store) =>
        countsOf(store).countEach('delivery', [WINDOW, WINDOW], ACME, { ...DELIVERIES, status: 'retrying' }, NEWEST),
      'status=? AND id>? AND id<?',
    ],
    ['audit entries of an action', (store) => store.listAudit({ ...AUDIT, action: 'key.issue' }), 'action=?'],
    ['those of a noun', (store) => store.listAudit({ ...AUDIT, action: 'key' }), 'noun=?'],
    ['those of an actor', (store) => store.listAudit({ ...AUDIT, actor: 'ada' }), 'actor_id=?'],
    ['those of an access', (store) => store.listAudit({ ...AUDIT, actor: 'ada' }), 'access_id=?'],
    ["an event's", (store) => store.list('delivery', ACME, { ...DELIVERIES, eventId: 'e' }, NEWEST), 'event_id=?'],
    ["a session's", (store) => store.list('delivery', ACME, { ...DELIVERIES, sessionId: 's' }, NEWEST), 'session_id=?'],
    ['events', (store) => store.list('event', ACME, EVENTS, NEWEST), 'events_listed'],
    ['events of a type', (store) => store.list('event', ACME, { ...EVENTS, type: 't' }, NEWEST), 'type=?'],
    [
      'documents of a group',
      (store) => store.list('document', ACME, 'quote', { group: 'g', ...TIME }, NEWEST),
      'group_key=?',
    ],
    [
      'due deliveries',
      (store) => store.claim('delivery', { ...CLAIM, lane: 'first', perEndpoint: 4 }),
      'queue_heads_due',
    ],
    ['due tasks', (store) => store.claim('task', CLAIM), 'tasks_due'],
    ['documents of legs that are due', (_, legs) => legs.claimDue(LEGS_CLAIM), 'leg_documents_due'],
    [
      'those of sandboxes',
      (_, legs) => legs.claimDue({ ...LEGS_CLAIM, sandboxes: new Map([['a', T0]]) }),
      'leg_documents_of_partner (kind=? AND <expr>=? AND due_at<?)',
    ],
    [
      'a page of the ledger',
      (_, legs) => legs.listEntries({ from: T0, to: null, after: { at: T0, id: 'a' }, limit: 8 }),
      'leg_entries_by_time',
    ],
    ['those of a partner', (_, legs) => legs.listDue({ kind: 'k', partnerId: 'a', limit: 8 }), '_of_partner'],
    ['what is next', (store) => store.nextDue('test', ['first', 'tasks']), 'queue_heads'],
  ])('%s', async (_, ask, index) => {
    const plans = await plansOf(ask);
    expect(plans.filter((plan) => /SCAN (?!json_each)|TEMP B-TREE/.test(plan))).toEqual([]);
    expect(plans.join('\n')).toContain(index);
  });

  it("a session's events are found by the session, and sorted as they are few", async () => {
    const plans = await plansOf((store) => store.list('event', ACME, { ...EVENTS, sessionId: 's' }, NEWEST));
    expect(plans.join('\n')).toContain('events_of_session (session_id=?)');
  });
});

/** This store has counts of its own. */
function countsOf({ counts }: Pick<Store, 'counts'>): StoreCounts {
  if (counts === undefined) throw new Error('The store has no counts.');
  return counts;
}
