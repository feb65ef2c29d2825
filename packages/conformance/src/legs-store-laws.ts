import assert from 'node:assert/strict';
import { AUDIT_HEAD_SETTING, type AuditWrite, type Store } from '@gateramp/core/ports';
import type { LedgerEntry, LegDocument, LegsStore } from '@gateramp/provider-legs';
import { T0 } from './builders.js';
import { lawsOnTrial, type Law } from './law.js';
import { after, entry, raceForPlaces, trail } from './store/audit-laws.js';

/** The store of provider legs under test. */
export interface LegsStoreSubject {
  /** Creates a new, empty store. */
  create(): Promise<LegsStoreOnTrial>;
}

/** An empty store of provider legs. */
export interface LegsStoreOnTrial {
  readonly store: LegsStore;
  /** The store whose audit trail it continues, empty as well. */
  readonly gateStore: Pick<Store, 'listAudit' | 'readSetting'>;
  readonly close: () => Promise<void>;
}

/** Laws of documents with versions and leases, and of the double-entry ledger that is committed with them. */
export const legsStoreLaws: readonly Law<LegsStoreSubject>[] = lawsOnTrial<LegsStoreOnTrial>('the store of legs', {
  async 'stores a document unchanged, and replaces only the version that was read'({ store }) {
    const first = aDocument('a');
    const second = {
      ...first,
      version: 2,
      status: 'ended',
      dueAt: null,
      body: { text: 'ü\n"', list: [1, null, true] },
    };
    assert.equal(await store.load('operation', 'a'), null);
    assert.deepEqual([await write(store, first), await write(store, first)], ['committed', 'stale']);
    assert.equal(await write(store, { ...second, version: 3 }), 'stale');
    assert.deepEqual([await write(store, second), await write(store, second)], ['committed', 'stale']);
    assert.deepEqual(await store.load('operation', 'a'), second);
    assert.equal(await store.load('quote', 'a'), null);
  },

  async 'commits documents and ledger entries atomically'({ store }) {
    await write(store, aDocument('a'));
    const isNew = aDocument('b');
    assert.equal(await store.commit({ documents: [isNew, aDocument('a')], entries: [anEntry('one')] }), 'stale');
    assert.equal(await store.load('operation', 'b'), null);
    assert.deepEqual(await store.entries('op'), []);
    await store.commit({ documents: [], entries: [anEntry('one')] });
    assert.equal(await store.commit({ documents: [isNew], entries: [anEntry('two'), anEntry('one')] }), 'stale');
    assert.equal(await store.load('operation', 'b'), null);
    assert.deepEqual(await store.entries('op'), [anEntry('one')]);
  },

  async 'adds the audit entries of a change in the same commit'({ store, gateStore }) {
    const [one, two] = [entry(1), entry(2, null)];
    assert.equal(await writeAudited(store, aDocument('a'), after(0, one, two)), 'committed');
    assert.deepEqual(await trail(gateStore), [one, two]);
    assert.equal(await gateStore.readSetting(AUDIT_HEAD_SETTING), 'head 2');
    const next = { ...aDocument('a'), version: 2 };
    assert.equal(await writeAudited(store, next, after(2, entry(3))), 'committed');
    assert.deepEqual(await store.load('operation', 'a'), next);
    assert.equal((await trail(gateStore)).length, 3);
  },

  async 'refuses a whole change whose audit entries continue another end of the trail'({ store, gateStore }) {
    await writeAudited(store, aDocument('a'), after(0, entry(1)));
    for (const wrong of [after(0, entry(1)), after(2, entry(3))]) {
      const change = { documents: [aDocument('b')], entries: [anEntry('one')], audit: wrong };
      assert.equal(await store.commit(change), 'stale');
    }
    assert.deepEqual([await store.load('operation', 'b'), await store.entries('op')], [null, []]);
    assert.equal((await trail(gateStore)).length, 1);
    assert.equal(await gateStore.readSetting(AUDIT_HEAD_SETTING), 'head 1');
  },

  async 'adds no audit entry for a change that is stale'({ store, gateStore }) {
    await store.commit({ documents: [aDocument('a')], entries: [anEntry('one')] });
    const audit = after(0, entry(1));
    assert.equal(await writeAudited(store, aDocument('a'), audit), 'stale');
    assert.equal(await writeAudited(store, { ...aDocument('a'), version: 3 }, audit), 'stale');
    assert.equal(await store.commit({ documents: [aDocument('b')], entries: [anEntry('one')], audit }), 'stale');
    assert.deepEqual(await trail(gateStore), []);
    assert.equal(await gateStore.readSetting(AUDIT_HEAD_SETTING), null);
    assert.equal(await writeAudited(store, aDocument('b'), audit), 'committed');
  },

  async 'gives each place in the audit trail to one of many racing changes'({ store, gateStore }) {
    let turn = 0;
    await raceForPlaces(gateStore, async (audit) => {
      turn += 1;
      return (await writeAudited(store, aDocument(`racer ${turn}`), audit)) === 'committed';
    });
    assert.equal(
      (await store.list({ kind: 'operation', after: null, limit: 100 })).length,
      (await trail(gateStore)).length,
    );
  },

  async 'lets exactly one of many concurrent writers replace a version'({ store }) {
    await write(store, aDocument('a'));
    const racers = Array.from({ length: 8 }, (_, index) => ({ ...aDocument('a'), version: 2, body: { index } }));
    const outcomes = await Promise.all(racers.map((document) => write(store, document)));
    assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 1);
    const winner = outcomes.indexOf('committed');
    assert.deepEqual((await store.load('operation', 'a'))?.body, { index: winner });
  },

  async 'refuses a ledger entry that is not balanced in each currency'({ store }) {
    const postings = [
      { account: 'fiat', currency: 'EUR', amount: '10.00' },
      { account: 'customer', currency: 'USD', amount: '-10.00' },
    ];
    await assert.rejects(async () => store.commit({ documents: [], entries: [{ ...anEntry('one'), postings }] }));
    assert.deepEqual(await store.entries('op'), []);
  },

  async 'claims only documents that are due, oldest first'({ store }) {
    for (const [id, dueAt] of [
      ['late', T0 + 1],
      ['b', T0],
      ['a', T0 - 5],
      ['never', null],
    ] as const)
      await write(store, { ...aDocument(id), dueAt });
    await write(store, { ...aDocument('other'), kind: 'quote', dueAt: T0 - 9 });
    assert.deepEqual(await idsOfDue(store, { limit: 2 }), ['a', 'b']);
    const claimed = await store.claimDue({ kind: 'operation', now: T0, leaseMs: 60_000, limit: 10 });
    assert.deepEqual(
      claimed.map(({ id, version, dueAt }) => ({ id, version, dueAt })),
      [
        { id: 'a', version: 2, dueAt: T0 + 60_000 },
        { id: 'b', version: 2, dueAt: T0 + 60_000 },
      ],
    );
    assert.deepEqual(await idsOfDue(store), ['late', 'a', 'b']);
    assert.deepEqual(await store.listDue({ kind: 'nothing', limit: 10 }), []);
  },

  async 'claims and leases the documents of a sandbox with its own time by that time, and all others by the given time'({
    store,
  }) {
    const ahead = T0 + 50_000;
    for (const [id, dueAt, partnerId] of [
      ['due by both', T0, 'ahead'],
      ['due by its own', ahead, 'ahead'],
      ['not due', ahead + 1, 'ahead'],
      ['due', T0, 'other'],
      ['of no partner', T0, null],
      ['due later', T0 + 1, 'other'],
      ['of no partner, later', T0 + 1, null],
    ] as const)
      await write(store, aDocumentOf(partnerId, id, dueAt));
    await write(store, { ...aDocumentOf('ahead', 'other kind', T0), kind: 'quote' });
    const claim = { kind: 'operation', now: T0, leaseMs: 1_000, limit: 10 };
    const sandboxes = new Map([
      ['ahead', ahead],
      ['without documents', T0 + 90_000],
    ]);
    const claimed = await store.claimDue({ ...claim, sandboxes });
    assert.deepEqual(
      claimed.map(({ id, version, dueAt }) => [id, version, dueAt]),
      [
        ['due by both', 2, ahead + 1_000],
        ['due', 2, T0 + 1_000],
        ['due by its own', 2, ahead + 1_000],
        ['of no partner', 2, T0 + 1_000],
      ],
    );
    assert.deepEqual(await store.claimDue({ ...claim, sandboxes }), []);
    for (const document of claimed) assert.deepEqual(await store.load('operation', document.id), document);
  },

  async 'claims the documents of all sandboxes up to one limit, the longest due by its own time first'({ store }) {
    for (const [id, dueAt, partnerId] of [
      ['third', T0 - 10, 'other'],
      ['second', T0 + 70, 'ahead'],
      ['first', T0 + 110, 'far ahead'],
      ['fourth', T0 - 5, null],
    ] as const)
      await write(store, aDocumentOf(partnerId, id, dueAt));
    const sandboxes = new Map([
      ['ahead', T0 + 100],
      ['far ahead', T0 + 200],
    ]);
    const claim = { kind: 'operation', now: T0, sandboxes, leaseMs: 60_000, limit: 3 };
    const ids = async () => (await store.claimDue(claim)).map(({ id }) => id);
    assert.deepEqual([await ids(), await ids()], [['first', 'second', 'third'], ['fourth']]);
  },

  async 'claims nothing of a sandbox whose time is before all due times'({ store }) {
    await write(store, aDocumentOf('paused', 'a', T0 - 60_000));
    await write(store, aDocumentOf('other', 'b', T0));
    const claim = { kind: 'operation', now: T0, leaseMs: 1_000, limit: 1 };
    const ids = async (sandboxes?: ReadonlyMap<string, number>) =>
      (await store.claimDue({ ...claim, sandboxes })).map(({ id }) => id);
    const paused = new Map([['paused', 0]]);
    assert.deepEqual([await ids(paused), await ids(paused), await ids()], [['b'], [], ['a']]);
  },

  async 'gives a document of a sandbox to one of many concurrent claimers'({ store }) {
    await write(store, aDocumentOf('ahead', 'a', T0 + 5));
    const sandboxes = new Map([['ahead', T0 + 10]]);
    const claim = () => store.claimDue({ kind: 'operation', now: T0, sandboxes, leaseMs: 1_000, limit: 10 });
    assert.equal((await Promise.all([claim(), claim(), claim(), claim()])).flat().length, 1);
  },

  async 'lists the documents with a due time, the first due first, of all partners or of one'({ store }) {
    for (const [id, dueAt, partnerId] of [
      ['c', T0, 'one'],
      ['b', T0, 'other'],
      ['a', T0 + 5, 'one'],
      ['d', T0 - 5, null],
      ['ended', null, 'one'],
    ] as const)
      await write(store, aDocumentOf(partnerId, id, dueAt));
    await write(store, { ...aDocumentOf('one', 'e', T0), kind: 'quote' });
    assert.deepEqual(await idsOfDue(store), ['d', 'b', 'c', 'a']);
    assert.deepEqual(await idsOfDue(store, { partnerId: 'one' }), ['c', 'a']);
    assert.deepEqual(await idsOfDue(store, { partnerId: 'one', limit: 1 }), ['c']);
    const [first] = await store.listDue({ kind: 'operation', partnerId: 'one', limit: 1 });
    assert.deepEqual(first, aDocumentOf('one', 'c', T0));
  },

  async 'leases a document to one claimer until the lease expires, and fences the previous one'({ store }) {
    await write(store, aDocument('a'));
    const claim = (now: number) => store.claimDue({ kind: 'operation', now, leaseMs: 1_000, limit: 10 });
    const racing = await Promise.all([claim(T0), claim(T0), claim(T0), claim(T0)]);
    assert.equal(racing.flat().length, 1);
    const [first] = racing.flat();
    assert.ok(first !== undefined);
    const [second] = await claim(T0 + 1_000);
    assert.equal(second?.version, 3);
    assert.equal(await write(store, { ...first, version: first.version + 1 }), 'stale');
    assert.equal(await write(store, { ...second, version: 4, dueAt: null }), 'committed');
  },

  async 'removes due documents of one kind, up to the limit'({ store }) {
    for (const id of ['a', 'b', 'c']) await write(store, { ...aDocument(id), kind: 'quote' });
    await write(store, aDocument('kept'));
    const remove = () => store.removeDue({ kind: 'quote', now: T0, limit: 2 });
    assert.deepEqual([await remove(), await remove(), await remove()], [2, 1, 0]);
    assert.notEqual(await store.load('operation', 'kept'), null);
  },

  async 'lists documents of a kind by id, page by page, within bounds, and of one status'({ store }) {
    for (const [id, status] of [
      ['a', 'stuck'],
      ['b', 'ended'],
      ['c', 'stuck'],
      ['d', 'stuck'],
    ] as const)
      await write(store, { ...aDocument(id), status });
    const ids = async (query: { readonly status?: string; readonly after: string | null; readonly before?: string }) =>
      (await store.list({ kind: 'operation', limit: 2, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({ after: null }), ['a', 'b']);
    assert.deepEqual(await ids({ after: 'b' }), ['c', 'd']);
    assert.deepEqual(await ids({ status: 'stuck', after: null }), ['a', 'c']);
    assert.deepEqual(await ids({ status: 'stuck', after: 'c' }), ['d']);
    assert.deepEqual(await ids({ after: 'a', before: 'c' }), ['b']);
    assert.deepEqual(await ids({ status: 'stuck', after: null, before: 'c' }), ['a']);
  },

  async 'sums the ledger exactly, by account and currency, without zero balances'({ store }) {
    const tiny = '0.000000000000000001';
    await store.commit({
      documents: [],
      entries: [anEntry('one', '100.10'), anEntry('two', '-0.10'), { ...anEntry('other', tiny), operationId: 'op2' }],
    });
    assert.deepEqual(await store.balances('op'), [
      { account: 'customer', currency: 'EUR', amount: '-100' },
      { account: 'fiat', currency: 'EUR', amount: '100' },
    ]);
    assert.deepEqual(await store.balances(null), [
      { account: 'customer', currency: 'EUR', amount: `-100${tiny.slice(1)}` },
      { account: 'fiat', currency: 'EUR', amount: `100${tiny.slice(1)}` },
    ]);
    await store.commit({ documents: [], entries: [anEntry('back', '-100')] });
    assert.deepEqual(await store.balances('op'), []);
  },

  async 'sums the ledger as it was before a given time'({ store }) {
    for (const [id, at, operationId] of [
      ['early', T0 - 1, 'op'],
      ['now', T0, 'op'],
      ['other', T0 - 1, 'op2'],
    ] as const)
      await store.commit({ documents: [], entries: [{ ...anEntry(id, '10'), at, operationId }] });
    const fiat = async (operationId: string | null, before?: number) =>
      (await store.balances(operationId, before)).find(({ account }) => account === 'fiat')?.amount ?? '0';
    assert.deepEqual([await fiat(null), await fiat(null, T0), await fiat(null, T0 - 1)], ['30', '20', '0']);
    assert.deepEqual([await fiat('op'), await fiat('op', T0), await fiat('op', T0 - 1)], ['20', '10', '0']);
  },

  async 'lists the entries of a period by time and id, page by page'({ store }) {
    const given = [
      ['b', T0],
      ['a', T0],
      ['first', T0 - 1],
      ['c', T0],
      ['last', T0 + 5],
    ] as const;
    for (const [id, at] of given) await store.commit({ documents: [], entries: [{ ...anEntry(id), at }] });
    const ids = async (query: Partial<Parameters<LegsStore['listEntries']>[0]>) =>
      (await store.listEntries({ from: null, to: null, after: null, limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['first', 'a', 'b', 'c', 'last']);
    assert.deepEqual(await ids({ from: T0, to: T0 + 5 }), ['a', 'b', 'c']);
    assert.deepEqual(await ids({ limit: 2 }), ['first', 'a']);
    assert.deepEqual(await ids({ after: { at: T0, id: 'a' }, limit: 2 }), ['b', 'c']);
    assert.deepEqual(await ids({ from: T0, after: { at: T0 - 1, id: 'first' }, limit: 1 }), ['a']);
    assert.deepEqual(await ids({ after: { at: T0 + 5, id: 'last' } }), []);
    assert.deepEqual((await store.listEntries({ from: T0 + 5, to: null, after: null, limit: 1 }))[0], {
      ...anEntry('last'),
      at: T0 + 5,
    });
  },
});

function aDocument(id: string): LegDocument {
  return { kind: 'operation', id, version: 1, status: 'running', dueAt: T0, body: { id } };
}

function aDocumentOf(partnerId: string | null, id: string, dueAt: number | null): LegDocument {
  return { ...aDocument(id), dueAt, body: { id, ...(partnerId === null ? {} : { partnerId }) } };
}

async function idsOfDue(store: LegsStore, query: { readonly partnerId?: string; readonly limit?: number } = {}) {
  return (await store.listDue({ kind: 'operation', limit: 10, ...query })).map(({ id }) => id);
}

function anEntry(id: string, amount = '1'): LedgerEntry {
  const negative = amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
  const postings = [
    { account: 'fiat', currency: 'EUR', amount },
    { account: 'customer', currency: 'EUR', amount: negative },
  ];
  return { id, operationId: 'op', at: T0, postings };
}

function write(store: LegsStore, document: LegDocument) {
  return store.commit({ documents: [document], entries: [] });
}

function writeAudited(store: LegsStore, document: LegDocument, audit: AuditWrite) {
  return store.commit({ documents: [document], entries: [], audit });
}
