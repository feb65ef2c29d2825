import assert from 'node:assert/strict';
import { cutPage, sessionResource, type GateEvent, type PageRequest } from '@gateramp/core/domain';
import { emptyChange, type EventFilter, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aPartnerEvent, aSession, anEvent, aUuid } from '../builders.js';
import { creation, eventOnly } from '../changes.js';
import { ALL_EVENTS, idsOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';
import { visitsEachOnce } from './walk.js';

const POLLED_EVENTS = 60;

async function listed(store: Store, filter: Partial<EventFilter> = {}, page: PageRequest = newest(100)) {
  return idsOf(await store.list('event', ACME, { ...ALL_EVENTS, ...filter }, page));
}

/** An event whose id does not depend on its creation. */
function partnerEvent(at: number, type?: string): GateEvent {
  return aPartnerEvent(ACME, at, type);
}

/** Three sessions, created at different instants and committed out of order; the events of each in sequence. */
async function threeSessions(store: Store): Promise<readonly (readonly GateEvent[])[]> {
  const made = [T0 + 5, T0, T0 + 9].map((at) => aSession({ at }));
  const sessions: (readonly GateEvent[])[] = [];
  for (const step of made) {
    const change = creation(step);
    const { createdAt } = step.session;
    // Later events of the sequence often have lesser ids.
    const more = [4, 2, 3].map((sequence) =>
      anEvent(
        step.session,
        { type: 'gate_session.cancelled', sequence, data: sessionResource(step.session) },
        createdAt,
      ),
    );
    await commit(store, change, { ...emptyChange(ACME, createdAt), events: more });
    const events = [...change.events, ...more].toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
    sessions.push(events);
  }
  return sessions;
}

export const eventListLaws = storeTopic('Store: the list of events', {
  async 'lists events exactly as written, with or without recipients'(store) {
    const silent = partnerEvent(T0);
    const owed = partnerEvent(T0 + 1);
    await commit(store, { ...emptyChange(ACME, T0), events: [silent] }, eventOnly(owed));
    assert.deepEqual(await store.list('event', ACME, ALL_EVENTS, newest(9)), [owed, silent]);
  },

  async 'lists events newest first, and those of one instant by descending sequence'(store) {
    const [middle = [], first = [], last = []] = await threeSessions(store);
    assert.deepEqual(await listed(store), idsOf([...first, ...middle, ...last]).toReversed());
  },

  async 'lists an event without a session after the events of sessions of the same instant'(store) {
    const session = creation(aSession({ at: T0 }));
    const ofPartner = partnerEvent(T0);
    await commit(store, session, eventOnly(ofPartner));
    assert.deepEqual(await listed(store), idsOf([...session.events, ofPartner]));
  },

  async 'visits every event exactly once in both directions, even with many of one instant'(store) {
    const events = Array.from({ length: 7 }, (_, nth) => partnerEvent(nth < 2 ? T0 : T0 + 1, `type.${nth % 3}`));
    for (const event of events) await commit(store, eventOnly(event));
    const expected = await listed(store);
    assert.deepEqual([...expected].sort(), [...idsOf(events)].sort());
    await visitsEachOnce((page) => listed(store, {}, page), expected);
    const some = idsOf(events.filter(({ type }) => type === 'type.0'));
    const ofType = expected.filter((id) => some.includes(id));
    await visitsEachOnce((page) => listed(store, { type: 'type.0' }, page), ofType);
  },

  async 'misses no event after one that was listed, however late it was committed'(store) {
    const follow = async (type: string | null, after: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (let id = after; ; id = found.at(-1) ?? id) {
        const page = await listed(store, { type }, { start: { kind: 'before', id }, limit: 2 });
        if (page.length === 0) return found;
        found.push(...page.slice(0, 2));
      }
    };
    const committed: string[] = [];
    const seen: string[] = [];
    const add = async (...events: readonly GateEvent[]): Promise<void> => {
      await commit(store, ...events.map((event) => eventOnly(event)));
      committed.push(...idsOf(events));
    };
    await add(partnerEvent(T0 + 9, 'type.0'));
    seen.push(...(await listed(store)));
    // Decided before the event that was listed, at the same instant, and after it.
    for (const at of [T0, T0 + 9, T0 + 9, T0 + 8, T0 + 10, T0 + 9]) {
      await add(partnerEvent(at, 'type.0'), partnerEvent(at - 1, 'type.1'));
      seen.push(...(await follow(null, seen.at(-1) ?? '')));
      assert.deepEqual([...seen].sort(), [...committed].sort());
    }
    // Reading only one type is following too.
    const [last = ''] = await listed(store, { type: 'type.0' }, newest(1));
    const late = partnerEvent(T0, 'type.0');
    await add(late);
    assert.deepEqual(await follow('type.0', last), [late.id]);
  },

  async 'applies every filter alone and all together'(store) {
    const [events = []] = await threeSessions(store);
    const test = partnerEvent(T0 + 6);
    await commit(store, eventOnly(test));
    const [created, second, third, fourth] = idsOf(events);
    assert.ok(created !== undefined && second !== undefined);
    const sessionId = events[0]?.sessionId ?? '';
    assert.deepEqual(await listed(store, { sessionId }), idsOf(events).toReversed());
    assert.deepEqual(await listed(store, { type: 'webhook.test' }), [test.id]);
    assert.deepEqual(await listed(store, { type: 'webhook.tes' }), []);
    assert.deepEqual(await listed(store, { sessionId: 'nobody' }), []);
    assert.deepEqual(await listed(store, { sessionId, type: 'gate_session.created' }), [created]);
    const window = { createdAfter: T0 + 5, createdBefore: T0 + 6 };
    assert.deepEqual(await listed(store, { ...window, sessionId }), [fourth, third, second, created]);
    assert.deepEqual(await listed(store, { ...window, type: 'gate_session.created' }), [created]);
    assert.deepEqual(await listed(store, { sessionId, createdBefore: T0 + 5 }), []);
  },

  async 'bounds events by creation, inclusive below and exclusive above'(store) {
    const [first, second, third] = [T0, T0 + 1, T0 + 2].map((at) => partnerEvent(at));
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await commit(store, ...[first, second, third].map((event) => eventOnly(event)));
    assert.deepEqual(await listed(store, { createdAfter: T0 + 1 }), [third.id, second.id]);
    assert.deepEqual(await listed(store, { createdBefore: T0 + 1 }), [first.id]);
    assert.deepEqual(await listed(store, { createdAfter: T0 + 1, createdBefore: T0 + 2 }), [second.id]);
  },

  async 'lists nothing after or before an event that is absent or belongs to another partner or mode'(store) {
    const own = partnerEvent(T0);
    const foreign = [aPartnerEvent(BOLT, T0 + 1), aPartnerEvent(ACME_LIVE, T0 + 1)];
    await commit(store, ...[own, ...foreign].map((event) => eventOnly(event)));
    for (const id of [...idsOf(foreign), aUuid(), 'x', '']) {
      for (const kind of ['after', 'before'] as const)
        assert.deepEqual(await listed(store, {}, { start: { kind, id }, limit: 9 }), [], `${kind} ${id}`);
    }
    assert.deepEqual(await listed(store), [own.id]);
  },

  async 'shows a poller every event of concurrent writers exactly once, in whatever order they decide and commit'(
    store,
  ) {
    const instants = Array.from({ length: POLLED_EVENTS }, (_, nth) => T0 + ((nth * 37) % POLLED_EVENTS));
    const events = instants.map((at, nth) => partnerEvent(at, `type.${nth % 3}`));
    const [first, ...others] = events;
    assert.ok(first !== undefined);
    await commit(store, eventOnly(first));
    const seen: string[] = [...(await listed(store))];
    const poll = async (): Promise<void> => {
      for (let isMore = true; isMore;) {
        const page = { start: { kind: 'before', id: seen.at(-1) ?? '' }, limit: 5 } as const;
        const { items, hasMore } = cutPage(await store.list('event', ACME, ALL_EVENTS, page), page);
        seen.push(...idsOf(items).toReversed());
        isMore = hasMore;
      }
    };
    const turns = others.map((event, nth) => ({ event, writer: nth % 2 }));
    for (let nth = 0; nth < turns.length; nth += 4) {
      const some = turns.slice(nth, nth + 4);
      const [left = [], right = []] = [0, 1].map((of) => some.filter(({ writer }) => writer === of));
      await Promise.all([
        commit(store, ...left.map(({ event }) => eventOnly(event))),
        commit(store, ...right.map(({ event }) => eventOnly(event))),
        poll(),
      ]);
    }
    await poll();
    assert.equal(new Set(seen).size, seen.length, 'an event was listed twice');
    assert.deepEqual(
      idsOf(events).filter((id) => !seen.includes(id)),
      [],
      'an event was never listed',
    );
  },
});
