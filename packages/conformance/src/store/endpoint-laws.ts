import assert from 'node:assert/strict';
import { rotateSecret, type WebhookEndpoint } from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aDelivery, aPartnerEvent, anEndpoint } from '../builders.js';
import { aKeyUse, claim, eventOnly, ifEndpointSet } from '../changes.js';
import { commit, storeTopic } from './store-subject.js';

const RACERS = 8;

function writing(row: WebhookEndpoint, expected: WebhookEndpoint | null, now = T0): Change {
  return { ...emptyChange(ACME, now), endpoints: [{ row, expected }] };
}

function rotated(before: WebhookEndpoint | null, sealed: string): WebhookEndpoint {
  return rotateSecret(ACME, before, { sealed, graceMs: 60_000, now: T0 }).endpoint;
}

async function stored(store: Store): Promise<WebhookEndpoint | null> {
  return store.findEndpoint(ACME);
}

export const endpointLaws = storeTopic('Store: endpoints that are written in a commit', {
  async 'writes an endpoint that is unchanged since it was read, including the first one'(store) {
    const first = rotated(null, 'sealed-1');
    await commit(store, writing(first, null));
    assert.deepEqual(await stored(store), first);
    const second = rotated(first, 'sealed-2');
    await commit(store, writing(second, first));
    assert.deepEqual(await stored(store), second);
    assert.equal(await store.findEndpoint(ACME_LIVE), null);
    assert.equal(await store.findEndpoint(BOLT), null);
  },

  async 'refuses an endpoint that was changed since it was read as stale, and stores no key'(store) {
    const read = anEndpoint();
    await store.save('endpoint', read);
    const moved = anEndpoint(ACME, 'https://moved.example/hooks');
    await store.save('endpoint', moved);
    const ref = aKeyUse();
    const late = { ...writing(rotated(read, 'late'), read), idempotency: claim(ref, 'reply', T0 + 1_000) };
    assert.deepEqual(await store.commit(late), { kind: 'stale' });
    assert.deepEqual(await store.commit(writing(rotated(null, 'first'), null)), { kind: 'stale' }, 'there is one');
    assert.deepEqual(await stored(store), moved);
    assert.equal(await store.findReply(ref, T0), null);
  },

  async 'accepts one of many concurrent updates of an endpoint'(store) {
    for (const before of [null, 'written'] as const) {
      const read = before === null ? null : await stored(store);
      const rows = Array.from({ length: RACERS }, (_, nth) => rotated(read, `racer-${before}-${nth}`));
      const outcomes = await Promise.all(rows.map((row) => store.commit(writing(row, read))));
      const winners = rows.filter((_, nth) => outcomes[nth]?.kind === 'committed');
      assert.equal(winners.length, 1, 'a secret that was acknowledged was overwritten');
      assert.equal(outcomes.filter(({ kind }) => kind === 'stale').length, RACERS - 1);
      assert.deepEqual(await stored(store), winners[0]);
    }
  },

  async 'decides by the endpoint of the same commit whether a delivery is wanted'(store) {
    const kept = async (): Promise<boolean> => {
      const event = aPartnerEvent(ACME, T0);
      const row = aDelivery(event, T0);
      await commit(store, { ...eventOnly(event, row), deliveries: [ifEndpointSet(row)] });
      return (await store.find('delivery', ACME, row.id)) !== null;
    };
    const silent = rotated(null, 'sealed-1');
    await commit(store, writing(silent, null));
    assert.equal(await kept(), false);
    await commit(store, writing({ ...silent, url: 'https://shop.example/hooks' }, silent));
    assert.equal(await kept(), true);
  },
});
