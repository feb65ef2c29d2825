import assert from 'node:assert/strict';
import type { Scope } from '@gateramp/core';
import { DAY, type JsonText, type PageRequest } from '@gateramp/core/domain';
import { emptyChange, type Change, type Document, type DocumentFilter, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aDocument } from '../builders.js';
import { insert, sessionCreation, update } from '../changes.js';
import { ALL_DOCUMENTS, idsOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

function keeping(...rows: readonly Document[]): Change {
  const [{ partnerId, mode }] = rows as readonly [Document, ...Document[]];
  return { ...emptyChange({ partnerId, mode }, T0), documents: rows.map(insert) };
}

function rewriting(before: Document, next: Document, scope: Scope = ACME): Change {
  return { ...emptyChange(scope, T0), documents: [update(before, next)] };
}

async function listed(
  store: Store,
  filter: Partial<DocumentFilter>,
  page: PageRequest = newest(100),
): Promise<readonly string[]> {
  return idsOf(await store.list('document', ACME, 'note', { ...ALL_DOCUMENTS, ...filter }, page));
}

export const documentLaws = storeTopic('Store: documents', {
  async 'stores a document unchanged, its body byte for byte'(store) {
    const body = '{ "b" : 1.0, "a": 1e2, "10": null, "a": "\\u00e9\\/ é\u{1F600}" }' as JsonText;
    const row = aDocument({ body, group: 'g-1', keepUntil: T0 + DAY });
    await commit(store, keeping(row));
    assert.deepEqual(await store.find('document', ACME, 'note', row.id), row);
    const next = { ...row, body: '{}' as JsonText, keepUntil: null };
    await commit(store, rewriting(row, next));
    assert.deepEqual(await store.find('document', ACME, 'note', row.id), { ...next, version: 2 });
  },

  async 'refuses the whole change when a document conflicts, exists already, or is absent'(store) {
    const row = aDocument();
    await commit(store, keeping(row), rewriting(row, row));
    const { session, change } = sessionCreation();
    for (const refused of [rewriting(row, row), keeping(row), rewriting(aDocument(), aDocument())]) {
      assert.deepEqual(await store.commit({ ...change, documents: refused.documents }), { kind: 'stale' });
      assert.equal(await store.find('session', ACME, session.id), null, 'a session stayed');
    }
    assert.equal((await store.find('document', ACME, 'note', row.id))?.version, 2);
  },

  async 'accepts one of several concurrent updates of the same version'(store) {
    const row = aDocument();
    await commit(store, keeping(row));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.commit(rewriting(row, row))));
    assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ['committed', ...Array<string>(7).fill('stale')]);
  },

  async 'accepts one of several concurrent inserts of the same document'(store) {
    const row = aDocument();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => store.commit(keeping(row))));
    assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ['committed', ...Array<string>(7).fill('stale')]);
  },

  async 'treats the same id in another noun, partner or mode as another document'(store) {
    const row = aDocument();
    const others = [
      { ...row, noun: 'remark' },
      { ...row, ...ACME_LIVE },
      { ...row, ...BOLT },
    ];
    for (const each of [row, ...others])
      await commit(store, keeping({ ...each, body: JSON.stringify(each.noun) as JsonText }));
    for (const each of others) {
      const found = await store.find('document', each, each.noun, row.id);
      assert.deepEqual(found, { ...each, body: JSON.stringify(each.noun) });
    }
    assert.deepEqual(await listed(store, {}), [row.id]);
  },

  async "never shows another partner's or mode's documents"(store) {
    const row = aDocument({ group: 'g-1' });
    await commit(store, keeping(row));
    for (const stranger of [ACME_LIVE, BOLT]) {
      assert.equal(await store.find('document', stranger, 'note', row.id), null);
      assert.deepEqual(await store.list('document', stranger, 'note', ALL_DOCUMENTS, newest(9)), []);
      assert.deepEqual(
        await store.list('document', stranger, 'note', { ...ALL_DOCUMENTS, group: 'g-1' }, newest(9)),
        [],
      );
      assert.deepEqual(await store.commit(rewriting(row, row, stranger)), { kind: 'stale' });
    }
    assert.equal(await store.find('document', ACME, 'remark', row.id), null);
  },

  async 'lists a noun or one of its groups, newest first, each document once in both directions'(store) {
    const rows = [0, 1, 1, 2, 3].map((offset, nth) =>
      aDocument({ createdAt: T0 + offset, group: nth % 2 === 0 ? 'even' : null }),
    );
    for (const row of rows) await commit(store, keeping(row));
    const all = idsOf(rows).toReversed();
    const [newestId, , middle, , oldest] = all;
    assert.ok(newestId !== undefined && middle !== undefined && oldest !== undefined);
    assert.deepEqual(await listed(store, {}), all);
    assert.deepEqual(await listed(store, { group: 'even' }), [newestId, middle, oldest]);
    assert.deepEqual(await listed(store, { group: 'none' }), []);
    assert.deepEqual(await listed(store, {}, newest(2)), all.slice(0, 3));
    assert.deepEqual(await listed(store, {}, { start: { kind: 'after', id: middle }, limit: 9 }), all.slice(3));
    assert.deepEqual(await listed(store, {}, { start: { kind: 'before', id: middle }, limit: 9 }), [all[1], all[0]]);
    const even = { group: 'even' };
    assert.deepEqual(await listed(store, even, { start: { kind: 'after', id: middle }, limit: 1 }), [oldest]);
  },

  async 'bounds documents by creation, inclusive below and exclusive above'(store) {
    const [first, second, third] = [T0, T0 + 1, T0 + 2].map((createdAt) => aDocument({ createdAt }));
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await commit(store, keeping(first, second, third));
    assert.deepEqual(await listed(store, { createdAfter: T0 + 1 }), [third.id, second.id]);
    assert.deepEqual(await listed(store, { createdBefore: T0 + 1 }), [first.id]);
    assert.deepEqual(await listed(store, { createdAfter: T0 + 1, createdBefore: T0 + 2 }), [second.id]);
  },

  async 'reaps a document only after its retention has ended'(store) {
    const kept = [aDocument(), aDocument({ keepUntil: T0 + 2 }), { ...aDocument({ keepUntil: T0 + 1 }), ...ACME_LIVE }];
    const due = aDocument({ keepUntil: T0 + 1 });
    const prolonged = aDocument({ keepUntil: T0 + 1 });
    for (const row of [...kept, due, prolonged]) await commit(store, keeping(row));
    await commit(store, rewriting(prolonged, { ...prolonged, keepUntil: T0 + DAY }));
    const reap = (now: number) => store.reap({ mode: 'test', now, keepEnded: 0, limit: 9 });
    assert.equal(await reap(T0 + 1), 0);
    assert.equal(await reap(T0 + 2), 1);
    assert.equal(await store.find('document', ACME, 'note', due.id), null);
    for (const row of [...kept, prolonged]) assert.notEqual(await store.find('document', row, 'note', row.id), null);
    const still = await store.list('document', ACME, 'note', ALL_DOCUMENTS, newest(9));
    assert.ok(!idsOf(still).includes(due.id), 'it is listed although it is gone');
  },
});
