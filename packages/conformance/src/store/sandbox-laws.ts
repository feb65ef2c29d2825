import assert from 'node:assert/strict';
import { DAY, HOUR, MINUTE, consumerLane, type Instant, type Task } from '@gateramp/core/domain';
import { emptyChange, type SandboxDue, type SandboxesDue, type Store, type TaskClaim } from '@gateramp/core/ports';
import type { Scope } from '@gateramp/core';
import { ACME, ACME_LIVE, BOLT, T0, aTask, aUuid, nowIn } from '../builders.js';
import { LEASE_MS } from '../changes.js';
import { claimedIds, LATER, request, waiting } from './due-deliveries.js';
import { idsOf } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

/** The time of a sandbox that its partner has moved a day ahead of test mode, which is at `LATER`. */
const AHEAD = LATER + DAY;

const sandboxes = (now: Instant, { partnerId }: Scope = ACME): ReadonlyMap<string, Instant> =>
  new Map([[partnerId, now]]);

function tasksRequest(traits: Partial<TaskClaim> = {}): TaskClaim {
  return { now: nowIn(LATER), limit: 100, leaseMs: LEASE_MS, token: aUuid(), ...traits };
}

async function dueTask(store: Store, scope: Scope, dueAt: Instant): Promise<Task> {
  const task = aTask({ scope, dueAt });
  await commit(store, { ...emptyChange(scope, T0), tasks: [task] });
  return task;
}

function dueOf(store: Store, of: SandboxesDue): Promise<readonly SandboxDue[]> {
  assert.ok(store.sandboxesDue !== undefined, 'the store has no sandboxesDue');
  return store.sandboxesDue(of);
}

/** The laws of a store with `sandboxesDue`, in addition to `storeLaws`. */
export const sandboxStoreLaws = storeTopic('Store: sandboxes with their own time', {
  async 'claims deliveries of a sandbox by its own time, and others by the time of their mode'(store) {
    const [own] = await waiting(store, 1, { scope: ACME, from: AHEAD });
    await waiting(store, 1, { scope: ACME, from: AHEAD + 1 });
    await waiting(store, 1, { scope: ACME_LIVE, from: AHEAD });
    const [other] = await waiting(store, 1, { scope: BOLT, from: LATER });
    await waiting(store, 1, { scope: BOLT, from: LATER + 1 });
    const claimed = await store.claim('delivery', request({ sandboxes: sandboxes(AHEAD) }));
    assert.deepEqual([...claimedIds(claimed)].sort(), [own?.id, other?.id].sort());
  },

  async 'claims tasks of a sandbox by its own time, and others by the time of their mode'(store) {
    const own = await dueTask(store, ACME, AHEAD);
    await dueTask(store, ACME, AHEAD + 1);
    await dueTask(store, ACME_LIVE, AHEAD);
    const other = await dueTask(store, BOLT, LATER);
    await dueTask(store, BOLT, LATER + 1);
    const claimed = await store.claim('task', tasksRequest({ sandboxes: sandboxes(AHEAD) }));
    assert.deepEqual([...idsOf(claimed)].sort(), [own.id, other.id].sort());
  },

  async 'leases the work of a sandbox by its own time'(store) {
    await waiting(store, 1, { scope: ACME, from: T0 });
    await dueTask(store, ACME, T0);
    const at = (now: Instant) => ({ now: nowIn(LATER), sandboxes: sandboxes(now) });
    const [delivery] = await store.claim('delivery', request(at(AHEAD)));
    const [task] = await store.claim('task', tasksRequest(at(AHEAD)));
    assert.equal(delivery?.delivery.leaseUntil, AHEAD + LEASE_MS);
    assert.equal(task?.leaseUntil, AHEAD + LEASE_MS);
    assert.equal((await store.find('task', ACME, task.id))?.leaseUntil, AHEAD + LEASE_MS);
    for (const now of [AHEAD, AHEAD + LEASE_MS - 1]) {
      assert.deepEqual(await store.claim('delivery', request(at(now))), []);
      assert.deepEqual(await store.claim('task', tasksRequest(at(now))), []);
    }
    assert.equal((await store.claim('delivery', request(at(AHEAD + LEASE_MS)))).length, 1);
    assert.equal((await store.claim('task', tasksRequest(at(AHEAD + LEASE_MS)))).length, 1);
  },

  async 'claims nothing of a sandbox whose time is before all of its work, however long others think it is due'(store) {
    await waiting(store, 3, { scope: ACME, from: T0 });
    await dueTask(store, ACME, T0);
    const [other] = await waiting(store, 1, { scope: BOLT, from: T0 + MINUTE });
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ sandboxes: sandboxes(0) }))), [other?.id]);
    assert.deepEqual(await store.claim('task', tasksRequest({ sandboxes: sandboxes(0) })), []);
    assert.equal((await store.claim('delivery', request())).length, 3, 'by the time of the mode it is due');
    assert.equal((await store.claim('task', tasksRequest())).length, 1);
  },

  async 'limits a sandbox to its share of live leases, and gives each sandbox a turn'(store) {
    await waiting(store, 5, { scope: ACME, from: AHEAD - MINUTE });
    await waiting(store, 5, { scope: BOLT, from: AHEAD - MINUTE });
    const both = new Map([...sandboxes(AHEAD), ...sandboxes(AHEAD + HOUR, BOLT)]);
    const claim = request({ sandboxes: both, perEndpoint: 2, limit: 3 });
    const first = await store.claim('delivery', claim);
    const partners = first.map(({ delivery }) => delivery.partnerId);
    assert.equal(partners.length, 3);
    assert.equal(new Set(partners).size, 2, 'a sandbox had no turn');
    assert.equal((await store.claim('delivery', { ...claim, limit: 100, token: aUuid() })).length, 1);
    assert.deepEqual(await store.claim('delivery', { ...claim, limit: 100, token: aUuid() }), []);
  },

  async 'claims all that is due of many sandboxes, each by its own time'(store) {
    const scopes = Array.from({ length: 40 }, (_, nth) => ({
      ...ACME,
      partnerId: `65f0c0ffee65f0c0ffee01${nth + 10}`,
    }));
    const own = new Map(scopes.map(({ partnerId }, nth) => [partnerId, LATER + (nth + 1) * HOUR]));
    const due: string[] = [];
    for (const [nth, scope] of scopes.entries()) {
      due.push(...idsOf(await waiting(store, 2, { scope, from: LATER + nth * HOUR + MINUTE })));
      await waiting(store, 1, { scope, from: LATER + (nth + 1) * HOUR + 1 });
    }
    due.push(...idsOf(await waiting(store, 3, { scope: BOLT, from: T0 })));
    const claimed = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const ids = claimedIds(await store.claim('delivery', request({ sandboxes: own, limit: 10 })));
      for (const id of ids) {
        assert.ok(!claimed.has(id), 'claimed twice');
        claimed.add(id);
      }
    }
    assert.deepEqual([...claimed].sort(), due.sort());
  },

  async 'names the next due items of sandboxes in the order they become due by their own time'(store) {
    const late = await dueTask(store, ACME, T0 + 2 * DAY);
    const [early] = await waiting(store, 1, { scope: BOLT, from: T0 + HOUR });
    const [third] = await waiting(store, 1, { scope: ACME, from: T0 + 2 * DAY + 2 * HOUR });
    await dueTask(store, ACME_LIVE, T0);
    await waiting(store, 1, { scope: { ...ACME, partnerId: '65f0c0ffee65f0c0ffee0009' }, from: T0 });
    const ahead = new Map([
      [ACME.partnerId, 2 * DAY],
      [BOLT.partnerId, 0],
    ]);
    const all = await dueOf(store, { ahead, limit: 10 });
    assert.deepEqual(all, [
      { kind: 'task', id: late.id, mode: 'test', partnerId: ACME.partnerId, dueAt: T0 + 2 * DAY },
      { kind: 'delivery', id: early?.id, mode: 'test', partnerId: BOLT.partnerId, dueAt: T0 + HOUR },
      { kind: 'delivery', id: third?.id, mode: 'test', partnerId: ACME.partnerId, dueAt: T0 + 2 * DAY + 2 * HOUR },
    ]);
    assert.deepEqual(await dueOf(store, { ahead, limit: 2 }), all.slice(0, 2));
    assert.deepEqual(idsOf(await dueOf(store, { ahead, kinds: ['tasks'], limit: 9 })), [late.id]);
    assert.deepEqual(idsOf(await dueOf(store, { ahead, kinds: ['first', 'retry'], limit: 9 })), [early?.id, third?.id]);
    assert.deepEqual(await dueOf(store, { ahead: new Map(), limit: 9 }), []);
  },

  async 'names leased work of a sandbox by the end of its lease'(store) {
    const [leased, next] = await waiting(store, 2, { scope: ACME, from: T0 });
    const claim = request({ sandboxes: sandboxes(AHEAD), limit: 1 });
    assert.deepEqual(claimedIds(await store.claim('delivery', claim)), [leased?.id]);
    const due = await dueOf(store, { ahead: new Map([[ACME.partnerId, DAY]]), limit: 2 });
    assert.deepEqual(
      due.map(({ id, dueAt }) => [id, dueAt]),
      [
        [next?.id, T0 + 1],
        [leased?.id, AHEAD + LEASE_MS],
      ],
    );
  },

  async 'names deliveries to the consumers of the host, and none of paused endpoints'(store) {
    const [consumed] = await waiting(store, 1, { scope: ACME, from: T0, target: 'consumer:books/of/acme' });
    const [webhook] = await waiting(store, 1, { scope: ACME, from: T0 });
    const lane = consumerLane({ name: 'books/of/acme', type: 'webhook.test' });
    const ahead = new Map([[ACME.partnerId, DAY]]);
    assert.deepEqual(idsOf(await dueOf(store, { ahead, kinds: [lane], limit: 9 })), [consumed?.id]);
    assert.deepEqual([...idsOf(await dueOf(store, { ahead, limit: 9 }))].sort(), [consumed?.id, webhook?.id].sort());
    const claimed = await store.claim('delivery', request({ lane, sandboxes: sandboxes(AHEAD) }));
    assert.deepEqual(claimedIds(claimed), [consumed?.id]);
  },
});
