import assert from 'node:assert/strict';
import { consumerLane, HOUR } from '@gateramp/core/domain';
import { emptyChange, type ConsumerName, type ConsumerRegistry, type Store } from '@gateramp/core/ports';
import { ACME, T0, aDelivery, aPartnerEvent, aTask, aUuid, nowIn } from '../builders.js';
import { eventOnly, LEASE_MS, sessionCreation } from '../changes.js';
import { idsOf } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

const GRANT: ConsumerName = { name: 'grant-value', type: 'gate_session.completed' };
const MAIL: ConsumerName = { name: 'send-mail', type: 'gate_session.completed' };

/** The registered names, in any order. */
function present({ consumers }: ConsumerRegistry): readonly string[] {
  return consumers.flatMap(({ name, type, isRemoved }) => (isRemoved ? [] : `${name}/${type}`)).sort();
}

async function versionOf(store: Store): Promise<number> {
  return (await store.readConsumers()).version;
}

export const consumerLaws = storeTopic('Store: consumers', {
  async 'starts without consumers, and lists each registered one by name and type'(store) {
    assert.deepEqual(await store.readConsumers(), { version: 0, consumers: [] });
    await store.registerConsumers([GRANT]);
    await store.registerConsumers([MAIL, { ...GRANT, type: 'gate_session.created' }]);
    const registry = await store.readConsumers();
    assert.deepEqual(present(registry), [
      'grant-value/gate_session.completed',
      'grant-value/gate_session.created',
      'send-mail/gate_session.completed',
    ]);
  },

  async "increases the registry's version with every change, and only then"(store) {
    await store.registerConsumers([GRANT]);
    const first = await versionOf(store);
    assert.ok(first > 0);
    await store.registerConsumers([GRANT]);
    await store.removeConsumer('nobody');
    assert.equal(await versionOf(store), first, 'nothing has changed');
    await store.registerConsumers([GRANT, MAIL]);
    const second = await versionOf(store);
    await store.removeConsumer(MAIL.name);
    const third = await versionOf(store);
    await store.registerConsumers([MAIL]);
    const versions = [first, second, third, await versionOf(store)];
    assert.deepEqual(
      versions,
      [...new Set(versions)].sort((a, b) => a - b),
    );
  },

  async 'removes a name with all its types, remembers it, and accepts it again'(store) {
    await store.registerConsumers([GRANT, { ...GRANT, type: 'gate_session.created' }, MAIL]);
    await store.removeConsumer(GRANT.name);
    const removed = await store.readConsumers();
    assert.deepEqual(present(removed), ['send-mail/gate_session.completed']);
    assert.equal(removed.consumers.filter(({ isRemoved }) => isRemoved).length, 2);
    await store.registerConsumers([GRANT]);
    assert.deepEqual(present(await store.readConsumers()), [
      'grant-value/gate_session.completed',
      'send-mail/gate_session.completed',
    ]);
  },

  async 'loses no registration made concurrently by many processes, and gives every change its own version'(store) {
    const names = Array.from({ length: 12 }, (_, nth) => ({ ...GRANT, name: `consumer-${nth}` }));
    await Promise.all(names.map((consumer) => store.registerConsumers([consumer])));
    const registry = await store.readConsumers();
    assert.equal(present(registry).length, names.length);
    assert.ok(registry.version >= names.length, `${names.length} changes and version ${registry.version}`);
  },

  async 'refuses a whole change that was decided on an outdated registry'(store) {
    const { version: none } = await store.readConsumers();
    await store.registerConsumers([GRANT]);
    const { version: one } = await store.readConsumers();
    const early = { ...sessionCreation().change, consumers: none };
    assert.deepEqual(await store.commit(early), { kind: 'stale' });
    assert.deepEqual(await store.list('session_event', ACME, early.sessions[0]?.row.id ?? ''), []);
    await commit(store, { ...early, consumers: one });
    await store.removeConsumer(GRANT.name);
    const late = { ...sessionCreation().change, consumers: one };
    assert.deepEqual(await store.commit(late), { kind: 'stale' });
    await commit(
      store,
      { ...late, consumers: await versionOf(store) },
      { ...sessionCreation().change, consumers: null },
    );
  },

  async 'refuses only the outdated change among those of one batch'(store) {
    await store.registerConsumers([GRANT]);
    const present = await versionOf(store);
    const changes = Array.from({ length: 20 }, (_, nth) => ({
      ...sessionCreation().change,
      consumers: nth % 2 === 0 ? 0 : present,
    }));
    const outcomes = await Promise.all(changes.map((change) => store.commit(change)));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      changes.map(({ consumers }) => (consumers === 0 ? 'stale' : 'committed')),
    );
  },

  async 'returns deliveries of a consumer only to claims for that consumer'(store) {
    const [forGrant, forMail] = await Promise.all(
      [GRANT, MAIL].map(async ({ name }) => {
        const event = { ...aPartnerEvent(ACME, T0), type: GRANT.type };
        const row = aDelivery(event, T0, `consumer:${name}`);
        await commit(store, eventOnly(event, row));
        return row.id;
      }),
    );
    const claim = { now: nowIn(T0 + HOUR), limit: 10, perEndpoint: 10, leaseMs: LEASE_MS };
    for (const lane of ['first', 'retry', consumerLane({ ...GRANT, type: 'gate_session.created' })] as const) {
      assert.deepEqual(await store.claim('delivery', { ...claim, lane, token: aUuid() }), []);
    }
    const claimed = await store.claim('delivery', { ...claim, lane: consumerLane(GRANT), token: aUuid() });
    assert.deepEqual(idsOf(claimed.map(({ delivery }) => delivery)), [forGrant]);
    assert.equal((await store.nextDue('test', [consumerLane(MAIL)]))?.id, forMail);
  },

  async 'returns the next due time of the requested kinds of work, or of all kinds'(store) {
    const event = { ...aPartnerEvent(ACME, T0), type: GRANT.type };
    const delivery = aDelivery(event, T0, `consumer:${GRANT.name}`);
    const task = aTask({ dueAt: T0 + HOUR });
    await commit(store, eventOnly(event, delivery), { ...emptyChange(ACME, T0), tasks: [task] });
    assert.equal((await store.nextDue('test'))?.id, delivery.id);
    assert.equal((await store.nextDue('test', ['first', 'retry', 'tasks']))?.id, task.id);
    assert.equal((await store.nextDue('test', ['tasks', consumerLane(GRANT)]))?.id, delivery.id);
    assert.equal(await store.nextDue('test', ['first', consumerLane(MAIL)]), null);
    assert.equal(await store.nextDue('live', [consumerLane(GRANT)]), null);
  },
});
