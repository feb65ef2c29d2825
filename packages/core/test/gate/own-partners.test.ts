import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { rows } from '@gateramp/conformance';
import { createGate, GateArgumentError, type GatePorts } from '@gateramp/core';
import type { EngineStore, Partners } from '@gateramp/core/ports';
import { createTestGate, TEST_WEBHOOK_SECRET, TEST_WEBHOOK_URL } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

it("delivers to the host's own partners, signed with secrets that the gate has encrypted for them", async () => {
  const t = await createTestGate();
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const secrets = [
    { sealed: await t.gate.admin.sealSecret(TEST_WEBHOOK_SECRET, scope), createdAt: 0, expiresAt: null },
  ];
  const partners: Partners = {
    findKey: (hash) => t.store.findKey(hash),
    findPartner: (id) => t.store.findPartner(id),
    findEndpoint: async (scope) => ({ ...scope, url: TEST_WEBHOOK_URL, secrets }),
  };
  await t.gate.admin.setEndpoint(scope, { url: null, secret: null });
  const own = t.restart({ partners });
  await own.createSession();
  await own.clock.advance('1s');
  expect(t.deliveries().map(({ type, verified }) => [type, verified])).toEqual([['gate_session.created', true]]);
  expect(JSON.stringify(secrets)).not.toContain(TEST_WEBHOOK_SECRET);
});

it("refuses to administer the host's own partners, even if the store could manage some", async () => {
  const { store, partner } = await createTestGate();
  const partners: Partners = {
    findKey: (hash) => store.findKey(hash),
    findPartner: (id) => store.findPartner(id),
    findEndpoint: async () => null,
  };
  const { gate, keys } = await createTestGate({ ports: { store, partners } });
  const { admin } = gate;
  const scope = { partnerId: partner.id, mode: 'test' } as const;
  const calls = {
    createPartner: () => admin.createPartner({ name: 'Bolt', allowedOrigins: [] }),
    savePartner: () => admin.savePartner(partner),
    issueKey: () => admin.issueKey(partner.id, { mode: 'test', type: 'secret' }),
    addKey: () => admin.addKey(partner.id, 'sk_test_0000000000000000anotherkey'),
    listKeys: () => admin.listKeys(partner.id),
    revokeKey: () => admin.revokeKey(keys.secret.test),
    setEndpoint: () => admin.setEndpoint(scope, { url: null, secret: null }),
    findEndpoint: () => admin.findEndpoint(scope),
  };
  for (const [name, refused] of Object.entries(calls)) {
    const error: unknown = await refused().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect([name, error]).toEqual([name, expect.any(GateArgumentError)]);
    expect(String(error)).toContain("the host's own");
  }
});

describe('a store without partners', () => {
  const { ACME } = rows;
  const key = rows.aKey(ACME);
  const partner = { ...rows.aPartner(), allowedOrigins: ['https://shop.example'] };
  const partners: Partners = {
    findKey: async (hash) => (hash === key.hash ? { key, partner } : null),
    findPartner: async (id) => (id === partner.id ? partner : null),
    findEndpoint: async () => null,
  };
  const others = () => ({ scheduler: inProcessScheduler(), limits: memoryRateLimits(), providers: [] });

  it("serves the host's own partners", async () => {
    const gate = createGate({ store: engineOnly(), partners, ...others() });
    const body = { amount: '10.00', currency: 'EUR', return_url: 'https://shop.example/done' };
    const created = (await gate.sessions.create(ACME, body))._unsafeUnwrap();
    expect((await gate.sessions.retrieve(ACME, created.id))._unsafeUnwrap().status).toBe('open');
    const rotated = await gate.webhooks.rotateSecret(ACME);
    expect(rotated._unsafeUnwrapErr().code).toBe('route_not_found');
  });

  it('cannot administer partners, and says so', async () => {
    const { admin } = createGate({ store: engineOnly(), partners, ...others() });
    await expect(admin.savePartner(partner)).rejects.toThrow(GateArgumentError);
    await expect(admin.listKeys(partner.id)).rejects.toThrow("the host's own");
    const endpoint = { url: null, secret: null };
    await expect(admin.setEndpoint(ACME, endpoint)).rejects.toThrow("the host's own");
  });

  it('is refused if the host has none either', () => {
    // As a host without types would write it.
    const ports = { store: engineOnly(), ...others() } as unknown as GatePorts;
    expect(() => createGate(ports)).toThrow('store lacks findKey, findPartner, findEndpoint, save and 2 more methods');
  });
});

function engineOnly(): EngineStore {
  const PARTNER_SIDE: readonly string[] = ['findKey', 'findPartner', 'findEndpoint', 'save', 'noteKeyUse', 'listKeys'];
  const engineSide = Object.entries(memoryStore()).filter(([name]) => !PARTNER_SIDE.includes(name));
  // All methods of a store except those of its partners.
  return Object.fromEntries(engineSide) as unknown as EngineStore;
}
