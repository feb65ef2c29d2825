import assert from 'node:assert/strict';
import { cancel, expireIfDue } from '@gateramp/core/domain';
import { emptyChange, type Change, type CommitOutcome } from '@gateramp/core/ports';
import { ACME, T0, aPurchase } from '../builders.js';
import { aKeyUse, beginning, claim, sessionCreation, start, transition, update } from '../changes.js';
import { ALL_SESSIONS, ALL_TRANSACTIONS, counterOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

const RACERS = 12;
const EXPIRES = T0 + 86_400_000;

function times<Item>(make: (nth: number) => Item): readonly Item[] {
  return Array.from({ length: RACERS }, (_, nth) => make(nth));
}

function count(outcomes: readonly CommitOutcome[], kind: CommitOutcome['kind']): number {
  return outcomes.filter((outcome) => outcome.kind === kind).length;
}

export const raceLaws = storeTopic('Store: races', {
  async 'commits exactly one of many changes decided on the same version'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const changes = times((nth): Change => {
      const sessions = [update(session, { ...session, userReference: `racer-${nth}` })];
      return { ...emptyChange(ACME, T0), sessions, counters: [{ name: 'won', delta: '1', atLeast: null }] };
    });
    const outcomes = await Promise.all(changes.map((each) => store.commit(each)));
    assert.deepEqual([count(outcomes, 'committed'), count(outcomes, 'stale')], [1, RACERS - 1]);
    const winner = outcomes.findIndex((outcome) => outcome.kind === 'committed');
    const stored = await store.find('session', ACME, session.id);
    assert.deepEqual(
      [stored?.userReference, stored?.version],
      [`racer-${winner}`, 2],
      'an acknowledged change was overwritten',
    );
    assert.equal(Number(await counterOf(store, 'won')), 1);
  },

  async 'expires a session exactly once under concurrent reads'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const late = session.expiresAt + 1;
    const expired = expireIfDue(session, late);
    assert.ok(expired !== null);
    const outcomes = await Promise.all(times(() => store.commit(transition(session, expired, late))));
    assert.equal(count(outcomes, 'committed'), 1);
    const types = (await store.list('session_event', ACME, session.id)).map((event) => event.type);
    assert.deepEqual(types, ['gate_session.created', 'gate_session.expired']);
  },

  async 'ends a session once when cancel, expiry and start race'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const late = session.expiresAt + 1;
    const expired = expireIfDue(session, late);
    assert.ok(expired !== null);
    const cancelled = cancel(session)._unsafeUnwrap();
    const outcomes = await Promise.all(
      times((nth) => {
        if (nth % 3 === 0) return store.commit(transition(session, cancelled, late));
        if (nth % 3 === 1) return store.commit(transition(session, expired, late));
        return store.commit(beginning(session, aPurchase(session, late), late));
      }),
    );
    assert.equal(count(outcomes, 'committed'), 1);
    const events = await store.list('session_event', ACME, session.id);
    assert.deepEqual(
      events.map((event) => event.sequence),
      events.map((_, nth) => nth + 1),
    );
  },

  async 'commits exactly one of many requests with one idempotency key; the others get its reply'(store) {
    const ref = aKeyUse();
    const outcomes = await Promise.all(
      times((nth) => store.commit({ ...sessionCreation().change, idempotency: claim(ref, `reply-${nth}`, EXPIRES) })),
    );
    assert.equal(count(outcomes, 'committed'), 1);
    const winner = outcomes.findIndex((outcome) => outcome.kind === 'committed');
    for (const outcome of outcomes) {
      if (outcome.kind !== 'committed') assert.deepEqual(outcome, { kind: 'replay', reply: `reply-${winner}` });
    }
    assert.equal((await store.list('session', ACME, ALL_SESSIONS, newest(100), T0)).length, 1);
  },

  async 'starts the work of a key once; other requests get in_progress'(store) {
    const ref = aKeyUse();
    const outcomes = await Promise.all(
      times((nth) => {
        const { session, change } = sessionCreation();
        return store.commit({
          ...change,
          idempotency: start(ref, { resourceId: session.id, taskId: `task-${nth}` }, EXPIRES),
        });
      }),
    );
    assert.deepEqual([count(outcomes, 'committed'), count(outcomes, 'in_progress')], [1, RACERS - 1]);
  },

  async 'takes over an expired key once'(store) {
    const ref = aKeyUse();
    await commit(store, { ...emptyChange(ACME, T0), idempotency: claim(ref, 'old', EXPIRES) });
    const outcomes = await Promise.all(
      times((nth) =>
        store.commit({
          ...sessionCreation({ at: EXPIRES + 1 }).change,
          idempotency: claim(ref, `new-${nth}`, EXPIRES * 2),
        }),
      ),
    );
    assert.deepEqual([count(outcomes, 'committed'), count(outcomes, 'replay')], [1, RACERS - 1]);
  },

  async 'sets a mark once under concurrency'(store) {
    const outcomes = await Promise.all(
      times(() => store.commit({ ...sessionCreation().change, once: ['callback-1'] })),
    );
    assert.deepEqual([count(outcomes, 'committed'), count(outcomes, 'duplicate')], [1, RACERS - 1]);
  },

  async 'inserts an id once under concurrency'(store) {
    const { session, change } = sessionCreation();
    const outcomes = await Promise.all(times(() => store.commit(change)));
    assert.deepEqual([count(outcomes, 'committed'), count(outcomes, 'stale')], [1, RACERS - 1]);
    assert.equal((await store.list('session_event', ACME, session.id)).length, 1);
  },

  async 'commits all of many independent concurrent changes'(store) {
    const outcomes = await Promise.all(times(() => store.commit(sessionCreation().change)));
    assert.equal(count(outcomes, 'committed'), RACERS);
    assert.equal((await store.list('session', ACME, ALL_SESSIONS, newest(100), T0)).length, RACERS);
    assert.deepEqual(await store.list('transaction', ACME, ALL_TRANSACTIONS, newest(100)), []);
  },
});
