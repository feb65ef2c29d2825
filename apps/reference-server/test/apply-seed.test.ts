import { createHash } from 'node:crypto';
import type { ApiKey } from '@gateramp/core';
import { nodeCrypto } from '@gateramp/core/runtime';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { applySeed } from '../src/seed/apply-seed.js';
import { readSeed, type Seed } from '../src/seed/seed-file.js';
import { StartError } from '../src/start-error.js';

const ID = '65f0c0ffee65f0c0ffee00aa';
const SECRET_KEY = 'sk_test_seeded_secret_key_1';
const SCOPE = { partnerId: ID, mode: 'test' } as const;

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

function seedOf(partner: object, test: object = {}): Seed {
  const { seed, problems } = readSeed(
    JSON.stringify({
      partners: [{ id: ID, name: 'Seeded', ...partner, test: { secret_keys: [SECRET_KEY], ...test } }],
    }),
  );
  if (seed === null) throw new Error(problems.join());
  return seed;
}

describe('applying a seed', () => {
  let t: TestGate;
  const apply = (seed: Seed): Promise<readonly ApiKey[]> => applySeed(t.gate, t.store, seed);
  beforeEach(async () => {
    t = await createTestGate();
  });

  it('creates the partner with its keys', async () => {
    await apply(seedOf({ allowed_origins: ['https://seeded.example'], quota: { completed_sessions: 5 } }));
    expect((await t.request('GET', '/v1/gate_sessions', { key: SECRET_KEY })).status).toBe(200);
    expect(await t.store.findPartner(ID)).toMatchObject({
      name: 'Seeded',
      completedSessionsQuota: 5,
      allowedOrigins: ['https://seeded.example'],
    });
  });

  it('limits a key as the file says', async () => {
    const limits = { scopes: ['events:read'], allowed_ips: ['192.0.2.0/24'], expires_at: '2030-01-31T00:00:00Z' };
    await apply(seedOf({}, { secret_keys: [{ key: SECRET_KEY, ...limits }] }));
    expect((await t.store.findKey(hashOf(SECRET_KEY)))?.key).toMatchObject({
      scopes: ['events:read'],
      allowedIps: ['192.0.2.0/24'],
      expiresAt: Date.UTC(2030, 0, 31),
    });
    const wrong = seedOf({}, { secret_keys: [{ key: 'sk_test_another_seeded_key', allowed_ips: ['192.0.2.0/99'] }] });
    await expect(apply(wrong)).rejects.toThrow('192.0.2.0/99');
  });

  it('leaves no audit entry for a file that changes nothing', async () => {
    const seed = seedOf({ entitlements: ['pools'] }, { webhook_url: 'https://seeded.example/hooks' });
    await apply(seed);
    const [last] = await t.gate.admin.audit.list({ limit: 1 });
    expect(last?.actor).toEqual({ type: 'seed', id: 'GATE_SEED_FILE' });
    await apply(seed);
    expect((await t.gate.admin.audit.list({ limit: 1 }))[0]).toEqual(last);
  });

  it('restricts the partner as the file says, until the file says nothing any more', async () => {
    const countries = async () => {
      const { json } = await t.request('GET', '/v1/capabilities/countries', { key: SECRET_KEY });
      return (json['data'] as readonly { readonly code: string }[]).map(({ code }) => code);
    };
    await apply(seedOf({ restrictions: { countries: ['DE'] } }));
    expect(await countries()).toEqual(['DE']);
    await apply(seedOf({}));
    expect(await countries()).toEqual(['DE', 'US']);
  });

  it('opens a pool with its balances once: what has moved since is never set back', async () => {
    const pool = { id: 'pool_1', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
    const seed = (spreadBps: number, EUR: string) =>
      seedOf({ entitlements: ['pools'], pools: [{ ...pool, spreadBps, balances: { EUR } }] });
    await apply(seed(30, '1000'));
    await t.gate.admin.movePoolBalance(ID, { poolId: 'pool_1', currency: 'EUR', amount: '-400', reference: 'x' });
    await apply(seed(10, '5000'));
    const caller = { partnerId: ID, mode: 'live' } as const;
    const { balances } = (await t.gate.pools.balance(caller, 'pool_1'))._unsafeUnwrap();
    expect(balances.map(({ currency, available }) => [currency, available])).toEqual([
      ['USDC', '0'],
      ['EUR', '600'],
    ]);
    expect((await t.gate.pools.list(caller))._unsafeUnwrap().data).toMatchObject([{ spreadBps: 10 }]);
  });

  it("stops at a pool that is another partner's, and takes access as the file has it", async () => {
    const pool = { id: 'pool_1', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
    await t.gate.admin.savePool(t.partner.id, pool);
    await expect(apply(seedOf({ pools: [pool] }))).rejects.toBeInstanceOf(StartError);
    await apply(seedOf({ entitlements: ['pools'], pools_access: { kyc: 'pending' } }));
    const refused = await t.gate.pools.list({ partnerId: ID, mode: 'live' });
    expect(refused._unsafeUnwrapErr().code).toBe('kyc_not_approved');
  });

  it('updates a partner that is there, and keeps its branding', async () => {
    await apply(seedOf({}));
    (await t.gate.branding.update(SCOPE, { accent_color: '#008080' }))._unsafeUnwrap();
    await apply(seedOf({ name: 'Renamed', live_enabled: true }));
    expect(await t.store.findPartner(ID)).toMatchObject({ name: 'Renamed', liveEnabled: true });
    const kept = (await t.gate.branding.retrieve(SCOPE))._unsafeUnwrap();
    expect(kept).toMatchObject({ accent_color: '#008080' });
  });

  it('never un-revokes a key', async () => {
    await apply(seedOf({}));
    await t.gate.admin.revokeKey(SECRET_KEY);
    await apply(seedOf({}));
    const refused = await t.request('GET', '/v1/gate_sessions', { key: SECRET_KEY });
    expect([refused.status, refused.json['code']]).toEqual([401, 'revoked_api_key']);
  });

  it('reports each key that the file no longer names and that still works, and of no other', async () => {
    const [kept, removed, revoked, expired] = ['kept', 'removed', 'revoked', 'expired'].map(
      (name) => `sk_test_seeded_and_${name}`,
    );
    const all = [kept, removed, revoked, expired].map(String);
    expect(await apply(seedOf({}, { secret_keys: all }))).toEqual([]);
    await t.gate.admin.revokeKey(String(revoked));
    const known = await t.store.findKey(hashOf(String(expired)));
    if (known === null) throw new Error('The key was not seeded.');
    await t.store.save('key', { ...known.key, expiresAt: t.clock.now('test') });
    await t.clock.advance('1m');
    const unnamed = await apply(seedOf({}, { secret_keys: [kept] }));
    expect(unnamed.map(({ hash }) => hash)).toEqual([hashOf(String(removed))]);
    expect((await t.request('GET', '/v1/gate_sessions', { key: String(removed) })).status).toBe(200);
  });

  it('never reverts a rotated webhook secret, and updates the URL', async () => {
    await apply(seedOf({}, { webhook_url: 'https://a.example/hooks', webhook_secret: 'whsec_the_first_secret' }));
    await t.gate.admin.setEndpoint(SCOPE, { url: 'https://a.example/hooks', secret: 'whsec_the_rotated_secret' });
    const rotated = await t.gate.admin.findEndpoint(SCOPE);
    await apply(seedOf({}, { webhook_url: 'https://b.example/hooks', webhook_secret: 'whsec_the_first_secret' }));
    const updated = await t.gate.admin.findEndpoint(SCOPE);
    // A changed URL seals the secret again.
    const secrets = rotated?.secrets.map((secret) => ({ ...secret, sealed: expect.any(String) as string }));
    expect(updated).toEqual({ ...rotated, url: 'https://b.example/hooks', secrets });
    const crypto = nodeCrypto({ masterKey: t.ports.masterKey ?? null });
    await crypto.open(t.store);
    expect(updated?.secrets.map(({ sealed }) => crypto.openSecret(sealed, SCOPE))).toEqual([
      'whsec_the_rotated_secret',
    ]);
  });

  it('gives an endpoint without a secret one of its own: no webhook goes out unsigned', async () => {
    await apply(seedOf({}, { webhook_url: 'https://a.example/hooks' }));
    const first = await t.gate.admin.findEndpoint(SCOPE);
    expect(first?.secrets).toHaveLength(1);
    await apply(seedOf({}, { webhook_url: 'https://a.example/hooks' }));
    expect(await t.gate.admin.findEndpoint(SCOPE)).toEqual(first);
  });

  it('stops the start when a key belongs to another partner, without quoting it', async () => {
    const stolen = seedOf({}, { secret_keys: [t.keys.secret.test] });
    const refused = apply(stolen);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(`partner ${ID}: This key belongs to another partner.`);
    await expect(refused).rejects.not.toThrow(t.keys.secret.test);
  });
});
