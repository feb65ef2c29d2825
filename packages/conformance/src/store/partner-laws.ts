import assert from 'node:assert/strict';
import type { Partner } from '@gateramp/core';
import { ACME, ACME_LIVE, BOLT, T0, aHash, aKey, aPartner, anEndpoint } from '../builders.js';
import { storeTopic } from './store-subject.js';

export const partnerLaws = storeTopic('Store: partners, keys and endpoints', {
  async 'finds a partner as last saved'(store) {
    assert.equal(await store.findPartner(ACME.partnerId), null);
    await store.save('partner', aPartner());
    const renamed = {
      ...aPartner(),
      name: 'Acme GmbH',
      completedSessionsQuota: null,
    };
    await store.save('partner', renamed);
    assert.deepEqual(await store.findPartner(ACME.partnerId), renamed);
    assert.equal(await store.findPartner(BOLT.partnerId), null);
  },

  async 'stores the restrictions of a partner, and finds them with its keys'(store) {
    const restricted: Partner = {
      ...aPartner(),
      restrictions: {
        flows: ['on_ramp'],
        paymentMethods: ['card', 'bank_transfer'],
        assets: ['USDC@base', 'ETH'],
        countries: ['DE'],
        limits: [{ flow: null, paymentMethod: 'card', currency: 'EUR', minAmount: '10.00', maxAmount: null }],
      },
    };
    const key = aKey(ACME);
    await store.save('partner', restricted);
    await store.save('key', key);
    assert.deepEqual(await store.findPartner(ACME.partnerId), restricted);
    assert.deepEqual((await store.findKey(key.hash))?.partner, restricted);
    await store.save('partner', { ...restricted, restrictions: null });
    assert.equal((await store.findPartner(ACME.partnerId))?.restrictions, null);
  },

  async 'keeps the suspension of a partner that is saved as it was read before, until it is reinstated'(store) {
    const key = aKey(ACME);
    await store.save('partner', aPartner());
    await store.save('partner', aPartner(BOLT.partnerId));
    await store.save('key', key);
    await store.save('suspension', { partnerId: ACME.partnerId, suspendedAt: T0 });
    await Promise.all([
      store.save('partner', { ...aPartner(), name: 'Acme GmbH' }),
      store.save('partner', { ...aPartner(), name: 'Acme GmbH', suspendedAt: null }),
      store.save('partner', { ...aPartner(), name: 'Acme GmbH', suspendedAt: T0 + 5 }),
    ]);
    const suspended = { ...aPartner(), name: 'Acme GmbH', suspendedAt: T0 };
    assert.deepEqual(await store.findPartner(ACME.partnerId), suspended);
    assert.deepEqual((await store.findKey(key.hash))?.partner, suspended);
    assert.deepEqual(await store.findPartner(BOLT.partnerId), aPartner(BOLT.partnerId));
    await store.save('suspension', { partnerId: ACME.partnerId, suspendedAt: null });
    await store.save('partner', suspended);
    assert.deepEqual((await store.findKey(key.hash))?.partner, { ...aPartner(), name: 'Acme GmbH' });
  },

  async 'suspends no partner that it does not have'(store) {
    await store.save('suspension', { partnerId: ACME.partnerId, suspendedAt: T0 });
    assert.equal(await store.findPartner(ACME.partnerId), null);
    await store.save('partner', aPartner());
    assert.deepEqual(await store.findPartner(ACME.partnerId), aPartner());
  },

  async 'finds a key by its hash, together with its partner'(store) {
    const [mine, theirs] = [aKey(ACME), aKey(BOLT)];
    await store.save('partner', aPartner());
    await store.save('partner', aPartner(BOLT.partnerId));
    await store.save('key', mine);
    await store.save('key', theirs);
    assert.deepEqual(await store.findKey(mine.hash), { key: mine, partner: aPartner() });
    assert.deepEqual(await store.findKey(theirs.hash), { key: theirs, partner: aPartner(BOLT.partnerId) });
    assert.equal(await store.findKey(aHash()), null);
  },

  async 'replaces a key by its hash, so that a revocation takes effect'(store) {
    const key = aKey();
    await store.save('partner', aPartner());
    await store.save('key', key);
    await store.save('key', { ...key, revokedAt: T0 });
    assert.equal((await store.findKey(key.hash))?.key.revokedAt, T0);
  },

  async 'lists the last use of each key of a partner, null if unused, and no other keys'(store) {
    const [second, first, live] = [{ ...aKey(), createdAt: T0 + 1 }, aKey(), { ...aKey(ACME_LIVE), createdAt: T0 + 2 }];
    const theirs = aKey(BOLT);
    await store.save('partner', aPartner());
    for (const key of [second, first, live, theirs]) await store.save('key', key);
    await store.noteKeyUse(second.hash, T0 + 5);
    await store.noteKeyUse(theirs.hash, T0 + 7);
    assert.deepEqual(await store.listKeys(ACME.partnerId), [
      { key: first, lastUsedAt: null },
      { key: second, lastUsedAt: T0 + 5 },
      { key: live, lastUsedAt: null },
    ]);
    assert.deepEqual(await store.listKeys(BOLT.partnerId), [{ key: theirs, lastUsedAt: T0 + 7 }]);
    assert.deepEqual(await store.listKeys('nobody'), []);
    assert.deepEqual((await store.findKey(second.hash))?.key, second);
  },

  async 'keeps the latest use of a key for any order of recording'(store) {
    const [key, raced] = [aKey(), aKey()];
    await store.save('key', key);
    await store.save('key', raced);
    for (const at of [T0 + 2, T0 + 9, T0 + 1, T0 + 9]) await store.noteKeyUse(key.hash, at);
    await Promise.all([3, 8, 5, 1, 7].map((after) => store.noteKeyUse(raced.hash, T0 + after)));
    const uses = new Map((await store.listKeys(ACME.partnerId)).map((one) => [one.key.hash, one.lastUsedAt]));
    assert.deepEqual([uses.get(key.hash), uses.get(raced.hash)], [T0 + 9, T0 + 8]);
  },

  async 'keeps a revocation when a key is saved from an earlier read'(store) {
    const key = aKey();
    await store.save('partner', aPartner());
    await store.save('key', { ...key, revokedAt: T0 });
    await Promise.all([
      store.save('key', { ...key, expiresAt: T0 + 9 }),
      store.save('key', { ...key, revokedAt: T0 + 5 }),
    ]);
    assert.equal((await store.findKey(key.hash))?.key.revokedAt, T0);
    assert.equal((await store.listKeys(ACME.partnerId))[0]?.key.revokedAt, T0);
  },

  async 'keeps the last use of a key that is saved again, for example to revoke it'(store) {
    const key = aKey();
    await store.save('key', key);
    await store.noteKeyUse(key.hash, T0 + 3);
    const revoked = { ...key, revokedAt: T0 + 4 };
    await store.save('key', revoked);
    assert.deepEqual(await store.listKeys(ACME.partnerId), [{ key: revoked, lastUsedAt: T0 + 3 }]);
  },

  async 'ignores the use of an unknown key'(store) {
    const [known, unknown] = [aKey(), aKey()];
    await store.save('key', known);
    await store.noteKeyUse(unknown.hash, T0 + 3);
    assert.deepEqual(await store.listKeys(ACME.partnerId), [{ key: known, lastUsedAt: null }]);
    await store.save('key', unknown);
    assert.deepEqual(
      (await store.listKeys(ACME.partnerId)).map(({ lastUsedAt }) => lastUsedAt),
      [null, null],
    );
  },

  async 'stores one endpoint per partner and mode'(store) {
    const [test, live] = [anEndpoint(ACME), anEndpoint(ACME_LIVE, 'https://shop.example/live')];
    await store.save('endpoint', test);
    await store.save('endpoint', live);
    assert.deepEqual(await store.findEndpoint(ACME), test);
    assert.deepEqual(await store.findEndpoint(ACME_LIVE), live);
    assert.equal(await store.findEndpoint(BOLT), null);
    const moved = { ...test, url: null, secrets: [] };
    await store.save('endpoint', moved);
    assert.deepEqual(await store.findEndpoint(ACME), moved);
    assert.deepEqual(await store.findEndpoint(ACME_LIVE), live);
  },

  async "stores an endpoint's secrets in order, newest first"(store) {
    const secrets = [
      { sealed: 'new', createdAt: T0 + 1, expiresAt: null },
      { sealed: 'old', createdAt: T0, expiresAt: T0 + 60_000 },
    ];
    await store.save('endpoint', { ...anEndpoint(), secrets });
    assert.deepEqual((await store.findEndpoint(ACME))?.secrets, secrets);
  },
});

export const settingLaws = storeTopic('Store: settings', {
  async 'sets a setting that is absent and returns it'(store) {
    assert.equal(await store.readSetting('pepper'), null);
    assert.equal(await store.swapSetting('pepper', null, 'first'), 'first');
    assert.equal(await store.readSetting('pepper'), 'first');
  },

  async 'replaces a setting only if it has the expected value, and returns the current one'(store) {
    await store.swapSetting('pepper', null, 'first');
    assert.equal(await store.swapSetting('pepper', null, 'second'), 'first');
    assert.equal(await store.swapSetting('pepper', 'wrong', 'second'), 'first');
    assert.equal(await store.swapSetting('pepper', 'first', 'second'), 'second');
    assert.equal(await store.readSetting('pepper'), 'second');
    assert.equal(await store.readSetting('other'), null);
  },

  async 'lists the settings whose names begin alike'(store) {
    const values = { 'clock/a': '1', 'clock/b/c': '2', 'clock/é': '3', clock: '4', clocks: '5', 'other/clock/a': '6' };
    for (const [name, value] of Object.entries(values)) await store.swapSetting(name, null, value);
    const listed = await store.listSettings('clock/');
    assert.deepEqual(Object.fromEntries(listed), { 'clock/a': '1', 'clock/b/c': '2', 'clock/é': '3' });
    assert.equal((await store.listSettings('none/')).size, 0);
  },

  async 'throws and sets nothing when a value is expected but absent: settings are never deleted'(store) {
    await assert.rejects(store.swapSetting('pepper', 'expected', 'value'), 'there is no value in force to answer with');
    assert.equal(await store.readSetting('pepper'), null);
    assert.equal(await store.swapSetting('pepper', null, 'first'), 'first');
  },

  async 'lets one of many concurrent callers set a setting, and returns it to all'(store) {
    const values = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => store.swapSetting('pepper', null, `value-${nth}`)),
    );
    assert.equal(new Set(values).size, 1);
    assert.equal(await store.readSetting('pepper'), values[0]);
  },
});
