import assert from 'node:assert/strict';
import { toJsonText } from '@gateramp/core';
import { ACME, ACME_LIVE, BOLT, T0, aHash, aKey, aPartner, anEndpoint } from '../builders.js';
import { storeTopic } from './store-subject.js';

export const partnerLaws = storeTopic('Store: partners, keys and endpoints', {
  async 'finds a partner as it was saved last'(store) {
    assert.equal(await store.findPartner(ACME.partnerId), null);
    await store.savePartner(aPartner());
    const renamed = { ...aPartner(), name: 'Acme GmbH', branding: toJsonText({ accent: '#123456' }), completedSessionsQuota: null };
    await store.savePartner(renamed);
    assert.deepEqual(await store.findPartner(ACME.partnerId), renamed);
    assert.equal(await store.findPartner(BOLT.partnerId), null);
  },

  async 'finds a key by its hash, together with its partner'(store) {
    const [mine, theirs] = [aKey(ACME), aKey(BOLT)];
    await store.savePartner(aPartner());
    await store.savePartner(aPartner(BOLT.partnerId));
    await store.saveKey(mine);
    await store.saveKey(theirs);
    assert.deepEqual(await store.findKey(mine.hash), { key: mine, partner: aPartner() });
    assert.deepEqual(await store.findKey(theirs.hash), { key: theirs, partner: aPartner(BOLT.partnerId) });
    assert.equal(await store.findKey(aHash()), null);
  },

  async 'replaces a key by its hash, so a revocation is seen'(store) {
    const key = aKey();
    await store.savePartner(aPartner());
    await store.saveKey(key);
    await store.saveKey({ ...key, revokedAt: T0 });
    assert.equal((await store.findKey(key.hash))?.key.revokedAt, T0);
  },

  async 'keeps one endpoint per partner and mode'(store) {
    const [test, live] = [anEndpoint(ACME), anEndpoint(ACME_LIVE, 'https://shop.example/live')];
    await store.saveEndpoint(test);
    await store.saveEndpoint(live);
    assert.deepEqual(await store.findEndpoint(ACME), test);
    assert.deepEqual(await store.findEndpoint(ACME_LIVE), live);
    assert.equal(await store.findEndpoint(BOLT), null);
    const moved = { ...test, url: null, secrets: [] };
    await store.saveEndpoint(moved);
    assert.deepEqual(await store.findEndpoint(ACME), moved);
    assert.deepEqual(await store.findEndpoint(ACME_LIVE), live);
  },

  async 'keeps an endpoint\'s secrets in their order, newest first'(store) {
    const secrets = [
      { sealed: 'new', createdAt: T0 + 1, expiresAt: null },
      { sealed: 'old', createdAt: T0, expiresAt: T0 + 60_000 },
    ];
    await store.saveEndpoint({ ...anEndpoint(), secrets });
    assert.deepEqual((await store.findEndpoint(ACME))?.secrets, secrets);
  },
});

export const settingLaws = storeTopic('Store: settings', {
  async 'sets a setting that is absent and returns it'(store) {
    assert.equal(await store.readSetting('pepper'), null);
    assert.equal(await store.swapSetting('pepper', null, 'first'), 'first');
    assert.equal(await store.readSetting('pepper'), 'first');
  },

  async 'swaps only what is still as expected and returns the value in force'(store) {
    await store.swapSetting('pepper', null, 'first');
    assert.equal(await store.swapSetting('pepper', null, 'second'), 'first');
    assert.equal(await store.swapSetting('pepper', 'wrong', 'second'), 'first');
    assert.equal(await store.swapSetting('pepper', 'first', 'second'), 'second');
    assert.equal(await store.readSetting('pepper'), 'second');
    assert.equal(await store.readSetting('other'), null);
  },

  async 'sets nothing when a value was expected and there is none'(store) {
    await store.swapSetting('pepper', 'expected', 'value').catch(() => undefined);
    assert.equal(await store.readSetting('pepper'), null);
  },

  async 'lets one of many that race set a setting, and tells it to all'(store) {
    const values = await Promise.all(Array.from({ length: 10 }, (_, nth) => store.swapSetting('pepper', null, `value-${nth}`)));
    assert.equal(new Set(values).size, 1);
    assert.equal(await store.readSetting('pepper'), values[0]);
  },
});
