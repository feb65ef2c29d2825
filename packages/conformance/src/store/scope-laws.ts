import assert from 'node:assert/strict';
import type { Scope } from '@gateramp/core';
import { emptyChange, type Change } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aPurchase, aSession } from '../builders.js';
import { insert, sessionCreation, update } from '../changes.js';
import { commit, storeTopic } from './store-subject.js';
import { counterOf } from './queries.js';

const STRANGERS: readonly Scope[] = [ACME_LIVE, BOLT];

const marking = (scope: Scope, mark: string): Change => ({ ...emptyChange(scope, T0), once: [mark] });

const moving = (scope: Scope, delta: string, atLeast: string | null = null): Change => ({
  ...emptyChange(scope, T0),
  counters: [{ name: 'places', delta, atLeast }],
});

export const scopeLaws = storeTopic('Store: scope of writes', {
  async 'refuses a change of rows of another partner or mode as stale, even with the right version'(store) {
    const { session, change } = sessionCreation({ scope: ACME });
    const { intent, transaction } = aPurchase(session, T0);
    const rows = { intents: [insert(intent)], transactions: [insert(transaction)] };
    await commit(store, change, { ...emptyChange(ACME, T0), ...rows });
    for (const scope of STRANGERS) {
      const theirs = emptyChange(scope, T0);
      const attempts: Change[] = [
        { ...theirs, sessions: [update(session, { ...session, ...scope, status: 'cancelled' })] },
        { ...theirs, intents: [update(intent, { ...intent, ...scope, status: 'failed' })] },
        { ...theirs, transactions: [update(transaction, { ...transaction, ...scope, status: 'failed' })] },
      ];
      for (const attempt of attempts) assert.deepEqual(await store.commit(attempt), { kind: 'stale' });
    }
    assert.deepEqual(await store.find('session', ACME, session.id), session);
    assert.deepEqual(await store.find('intent', ACME, intent.id), intent);
    assert.deepEqual(await store.find('transaction', ACME, transaction.refid), transaction);
  },

  async 'never changes a row when another partner or mode inserts its id'(store) {
    const { session, change } = sessionCreation({ scope: ACME });
    await commit(store, change);
    for (const scope of STRANGERS) {
      const theirs = { ...aSession({ scope }).session, id: session.id };
      const { kind } = await store.commit({ ...emptyChange(scope, T0), sessions: [insert(theirs)] });
      assert.ok(kind === 'committed' || kind === 'stale', kind);
      assert.deepEqual(await store.find('session', scope, session.id), kind === 'committed' ? theirs : null);
    }
    assert.deepEqual(await store.find('session', ACME, session.id), session);
  },

  async 'shares marks between the modes of a partner'(store) {
    await commit(store, marking(ACME, 'callback/1'));
    assert.deepEqual(await store.commit(marking(ACME_LIVE, 'callback/1')), { kind: 'duplicate', mark: 'callback/1' });
    await commit(store, marking(ACME, 'callback/10'), marking(ACME_LIVE, 'Callback/1'));
  },

  async 'shares counters between the modes of a partner'(store) {
    await commit(store, moving(ACME, '5'), moving(ACME_LIVE, '-4', '0'));
    assert.equal(Number(await counterOf(store, 'places')), 1);
    assert.deepEqual(await store.commit(moving(ACME, '-2', '0')), { kind: 'insufficient', counter: 'places' });
    assert.equal(await counterOf(store, 'Places'), '0');
  },
});
