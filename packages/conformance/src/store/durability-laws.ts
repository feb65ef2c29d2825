import assert from 'node:assert/strict';
import { recordDeliveryAttempt } from '@gateramp/core/domain';
import { emptyChange, type Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { ACME, POLICY, T0, aKey, aPartner, aPurchase, aSession, aTask, aUuid, anEndpoint, nowIn } from '../builders.js';
import { LEASE_MS, aKeyUse, beginning, claim, creation, sessionCreation, update } from '../changes.js';
import { ACKNOWLEDGED } from './delivery-laws.js';
import { claimedIds, LATER, request, waiting } from './due-deliveries.js';
import { durableLaw, ofTwo } from './several-processes.js';
import { commit, type StoreSubject } from './store-subject.js';
import { counterOf } from './queries.js';

const ROUNDS = 10;

export const durabilityLaws: readonly Law<StoreSubject>[] = [
  durableLaw('keeps all acknowledged writes when the connection that made them is closed', async ({ reopen: open }) => {
    const [session, key, ref] = [aSession().session, aKey(), aKeyUse()];
    const purchase = aPurchase(session, T0);
    const task = aTask();
    const first = await open();
    await first.store.save('partner', aPartner());
    await first.store.save('key', key);
    await first.store.noteKeyUse(key.hash, T0);
    await first.store.save('endpoint', anEndpoint());
    await first.store.swapSetting('pepper', null, 'sealed');
    await first.store.registerConsumers([{ name: 'grant', type: 'gate_session.completed' }]);
    const [delivery] = await waiting(first.store, 1);
    await commit(first.store, creation({ session, announcements: [] }), {
      ...beginning(session, purchase, T0),
      idempotency: claim(ref, 'reply', LATER),
      once: ['mark'],
      tasks: [task],
      counters: [{ name: 'runs', delta: '2.5', atLeast: null }],
    });
    await first.close();

    const { store, close } = await open();
    try {
      assert.deepEqual(await store.find('session', ACME, session.id), { ...purchase.session, version: 2 });
      assert.deepEqual(await store.find('intent', ACME, purchase.intent.id), purchase.intent);
      assert.deepEqual(await store.find('transaction', ACME, purchase.transaction.refid), purchase.transaction);
      assert.deepEqual((await store.find('delivery', ACME, delivery?.id ?? ''))?.delivery, delivery);
      assert.deepEqual(await store.find('task', ACME, task.id), task);
      assert.deepEqual(await store.findReply(ref, T0), { kind: 'replay', reply: 'reply' });
      assert.equal(Number(await counterOf(store, 'runs')), 2.5);
      assert.deepEqual((await store.findKey(key.hash))?.key, key);
      assert.equal((await store.listKeys(ACME.partnerId))[0]?.lastUsedAt, T0);
      assert.deepEqual(await store.findEndpoint(ACME), anEndpoint());
      assert.equal(await store.readSetting('pepper'), 'sealed');
      assert.equal((await store.readConsumers()).consumers.length, 1);
      const again = { ...emptyChange(ACME, T0), once: ['mark'] };
      assert.deepEqual(await store.commit(again), { kind: 'duplicate', mark: 'mark' });
    } finally {
      await close();
    }
  }),

  ofTwo('shows a commit to other connections as soon as it is acknowledged', async (one, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { session, change } = sessionCreation();
      await commit(round % 2 === 0 ? one : other, change);
      assert.deepEqual(await (round % 2 === 0 ? other : one).find('session', ACME, session.id), session);
    }
  }),

  ofTwo('commits exactly one of two decisions on one version across connections', async (one, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { session, change } = sessionCreation();
      await commit(one, change);
      const decision = { ...emptyChange(ACME, T0), sessions: [update(session, session)] };
      const outcomes = await Promise.all([one.commit(decision), other.commit(decision)]);
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['committed', 'stale']);
    }
  }),

  ofTwo('accepts a key once when several connections use it concurrently', async (one, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ref = aKeyUse();
      const taking = (reply: string) => ({ ...emptyChange(ACME, T0), idempotency: claim(ref, reply, LATER) });
      const outcomes = await Promise.all([one.commit(taking('one')), other.commit(taking('other'))]);
      const winner = outcomes[0].kind === 'committed' ? 'one' : 'other';
      const loser = winner === 'one' ? outcomes[1] : outcomes[0];
      assert.deepEqual(loser, { kind: 'replay', reply: winner });
    }
  }),

  ofTwo('leases due work to one connection, and limits an endpoint to its share across both', async (one, other) => {
    const rows = await waiting(one, 12);
    const share = { limit: 9, perEndpoint: 3 };
    const both = (
      await Promise.all([one.claim('delivery', request(share)), other.claim('delivery', request(share))])
    ).flat();
    assert.ok(both.length <= 3, `one endpoint has ${both.length} live leases, and its share is 3`);
    const rest = (await Promise.all([one.claim('delivery', request()), other.claim('delivery', request())])).flat();
    const late = await other.claim('delivery', request());
    const ids = [...both, ...rest, ...late].map(({ delivery }) => delivery.id);
    assert.equal(new Set(ids).size, ids.length, 'a delivery has two live leases');
    assert.equal(ids.length, rows.length, 'a due delivery was skipped');
  }),

  ofTwo('fences a connection whose lease another one has taken over', async (one, other) => {
    const [row] = await waiting(one, 1);
    const token = aUuid();
    const [slow] = await one.claim('delivery', request({ token }));
    const taken = await other.claim('delivery', request({ now: nowIn(LATER + LEASE_MS) }));
    assert.deepEqual(claimedIds(taken), [row?.id]);
    assert.ok(slow !== undefined);
    const { delivery: next, attempt } = recordDeliveryAttempt(slow.delivery, ACKNOWLEDGED, LATER, POLICY);
    assert.equal(await one.recordDelivery({ leaseToken: token, next, attempt }), 'lost');
    assert.deepEqual((await one.find('delivery', ACME, row?.id ?? ''))?.attempts, []);
  }),

  ofTwo('loses no increment and grants no reservation twice across connections', async (one, other) => {
    const move = (delta: string, atLeast: string | null) => ({
      ...emptyChange(ACME, T0),
      counters: [{ name: 'places', delta, atLeast }],
    });
    await Promise.all(Array.from({ length: ROUNDS }, (_, nth) => commit(nth % 2 === 0 ? one : other, move('1', null))));
    assert.equal(Number(await counterOf(one, 'places')), ROUNDS);
    const reservations = Array.from({ length: 2 * ROUNDS }, (_, nth) =>
      (nth % 2 === 0 ? one : other).commit(move('-1', '0')),
    );
    const granted = (await Promise.all(reservations)).filter(({ kind }) => kind === 'committed');
    assert.equal(granted.length, ROUNDS);
    assert.equal(Number(await counterOf(other, 'places')), 0);
  }),

  ofTwo('lets one of two connections set a setting, and returns the current value to both', async (one, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const set = (store: Store, value: string) => store.swapSetting(`pepper/${round}`, null, value);
      const values = await Promise.all([set(one, 'one'), set(other, 'other')]);
      assert.equal(values[0], values[1]);
      assert.equal(await other.readSetting(`pepper/${round}`), values[0]);
    }
  }),
];
