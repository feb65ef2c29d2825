import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createGate, GateArgumentError } from '@gateramp/core';
import { emptyChange } from '@gateramp/core/ports';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

function newGate() {
  const store = memoryStore();
  const ports = { store, scheduler: inProcessScheduler(), limits: memoryRateLimits(), providers: [sandboxProvider()] };
  return { store, ...createGate(ports) };
}

it('creates a partner from a name and origins, with an id and defaults that permit nothing', async () => {
  const { admin, store } = newGate();
  const partner = await admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
  expect(partner).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    name: 'Acme',
    allowedOrigins: ['https://shop.example'],
    kycTrusted: false,
    liveEnabled: false,
    entitlements: [],
    completedSessionsQuota: null,
  });
  expect(await store.findPartner(partner.id)).toEqual(partner);
});

it('sets the given fields of a partner, and refuses unknown ones', async () => {
  const { admin } = newGate();
  const given = { name: 'Acme', allowedOrigins: [], liveEnabled: true, completedSessionsQuota: 5 };
  expect(await admin.createPartner(given)).toMatchObject(given);
  await expect(admin.createPartner({ ...given, ...{ liveEnable: true } })).rejects.toThrow(
    /liveEnable is not a field; the fields are id, name, /,
  );
  await expect(admin.createPartner({ ...given, name: 'Acme\u001b[2J' })).rejects.toThrow(
    /name must not contain control or format characters/,
  );
  for (const name of [' ', '\u2800', '\u3164', '\u0301'])
    await expect(admin.createPartner({ ...given, name }), JSON.stringify(name)).rejects.toThrow(
      /name must contain something visible/,
    );
  await expect(admin.createPartner({ ...given, ...{ id: 'acme' } })).rejects.toThrow(/id is generated/);
});

it('issues keys that open the API, shows each once and stores only its hash', async () => {
  const { admin, store, fetch } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: ['https://shop.example'] });
  const secret = await admin.issueKey(id, { mode: 'test', type: 'secret' });
  const publishable = await admin.issueKey(id, { mode: 'live', type: 'publishable', expiresAt: 4_000_000_000_000 });
  expect(secret.text).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
  expect(publishable.text).toMatch(/^pk_live_[0-9A-Za-z]{32}$/);
  expect(publishable).toMatchObject({ type: 'publishable', mode: 'live', expiresAt: 4_000_000_000_000 });

  const list = new Request('http://gate.example/v1/gate_sessions', {
    headers: { authorization: `Bearer ${secret.text}` },
  });
  expect((await fetch(list, { mode: 'test', clientIp: '203.0.113.7' })).status).toBe(200);
  const kept = await store.listKeys(id);
  // Two keys created in the same millisecond have no defined order.
  expect(kept.map(({ key }) => key.hash).toSorted()).toEqual([secret.hash, publishable.hash].toSorted());
  expect(JSON.stringify(kept)).not.toContain(secret.text);
});

it('refuses unknown kinds of keys, and keys for unknown partners', async () => {
  const { admin } = newGate();
  // As plain JavaScript may call it.
  const wanted = { mode: 'prod', type: 'public' } as unknown as Parameters<typeof admin.issueKey>[1];
  await expect(admin.issueKey('nobody', wanted)).rejects.toMatchObject({
    problems: [
      'mode must be "test" or "live"; it is a string of 4 characters.',
      'type must be "secret" or "publishable"; it is a string of 6 characters.',
    ],
  });
  await expect(admin.issueKey('nobody', { mode: 'test', type: 'secret' })).rejects.toThrow(GateArgumentError);
});

it('refuses to add a key of another partner', async () => {
  const { admin } = newGate();
  const [first, second] = [
    await admin.createPartner({ name: 'Acme', allowedOrigins: [] }),
    await admin.createPartner({ name: 'Bolt', allowedOrigins: [] }),
  ];
  const { text } = await admin.issueKey(first.id, { mode: 'test', type: 'secret' });
  const refused = admin.addKey(second.id, text);
  await expect(refused).rejects.toThrow(GateArgumentError);
  await expect(refused).rejects.toMatchObject({ problems: ['This key belongs to another partner.'] });
});

it('restricts a key to scopes and addresses, and "*" is no restriction', async () => {
  const { admin } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: [] });
  const restricted = await admin.issueKey(id, {
    mode: 'test',
    type: 'secret',
    scopes: ['events:read', 'sessions:write', 'events:read'],
    allowedIps: ['203.0.113.0/24'],
  });
  expect(restricted).toMatchObject({ scopes: ['sessions:write', 'events:read'], allowedIps: ['203.0.113.0/24'] });
  const full = await admin.issueKey(id, { mode: 'test', type: 'secret', scopes: ['*', 'events:read'] });
  expect(full).not.toHaveProperty('scopes');
});

it.each<[limits: Record<string, unknown>, problem: RegExp]>([
  [{ scopes: [] }, /^scopes must be a list of at least one scope; it is an array of 0\.$/],
  [{ scopes: 'sessions:read' }, /^scopes must be a list of at least one scope/],
  [{ scopes: ['sessions:read', 'sessions'] }, /^scopes\[1\] must be one of \*, sessions:read, /],
  [{ allowedIps: [] }, /^allowedIps must be a list of 1 to 100 addresses or networks; it is an array of 0\.$/],
  [{ allowedIps: Array.from({ length: 101 }, () => '203.0.113.7') }, /^allowedIps must be a list of 1 to 100/],
  [{ allowedIps: [7] }, /^allowedIps\[0\] must be text; it is the number 7\.$/],
  [{ allowedIps: ['203.0.113.7/24'] }, /has bits set after its prefix of 24/],
  [{ type: 'publishable', scopes: ['*'] }, /^Only secret keys can have scopes or allowedIps\.$/],
  [{ type: 'publishable', allowedIps: ['::1'] }, /^Only secret keys can have scopes or allowedIps\.$/],
  [{ expiresAT: 1 }, /^expiresAT is not a field; the fields are mode, type, expiresAt/],
  [{ expiresAt: 1.5 }, /^expiresAt must be an instant in milliseconds/],
])('refuses a key limited to %j', async (limits, problem) => {
  const { admin } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: [] });
  // As plain JavaScript may call it.
  const wanted = { mode: 'test', type: 'secret', ...limits } as Parameters<typeof admin.issueKey>[1];
  await expect(admin.issueKey(id, wanted)).rejects.toMatchObject({ problems: [expect.stringMatching(problem)] });
  expect(await admin.listKeys(id)).toEqual([]);
});

it('lists the keys of a partner, including revoked ones, with their last use and without their text', async () => {
  const { admin, fetch } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: [] });
  const other = await admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
  await admin.issueKey(other.id, { mode: 'test', type: 'secret' });
  const used = await admin.issueKey(id, { mode: 'test', type: 'secret' });
  const revoked = await admin.issueKey(id, { mode: 'live', type: 'publishable' });
  await admin.revokeKey(revoked.text);
  const headers = { authorization: `Bearer ${used.text}` };
  const list = new Request('http://gate.example/v1/gate_sessions', { headers });
  expect((await fetch(list, { mode: 'test', clientIp: '203.0.113.7' })).status).toBe(200);
  await expect
    .poll(async () => (await admin.listKeys(id)).find(({ key }) => key.hash === used.hash)?.lastUsedAt)
    .toEqual(expect.any(Number));
  const listed = await admin.listKeys(id);
  expect(listed.map(({ key }) => key.hash).toSorted()).toEqual([used.hash, revoked.hash].toSorted());
  const gone = listed.find(({ key }) => key.hash === revoked.hash);
  expect(gone).toMatchObject({ lastUsedAt: null, key: { revokedAt: expect.any(Number) } });
  expect(JSON.stringify(listed)).not.toContain(used.text);
  expect(await admin.listKeys('nobody')).toEqual([]);
  await expect(admin.listKeys('no id')).rejects.toThrow(GateArgumentError);
});

it('expireKey with onlyEarlier shortens the life of a key and never prolongs it, also when calls race', async () => {
  const { admin } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: [] });
  const { hash } = await admin.issueKey(id, { mode: 'live', type: 'secret' });
  const shorten = (at: number) => admin.expireKey(hash, at, { onlyEarlier: true });
  const expiry = async () => (await admin.listKeys(id))[0]?.key.expiresAt;
  await shorten(5_000);
  expect(await expiry()).toBe(5_000);
  await shorten(6_000);
  expect(await expiry()).toBe(5_000);
  await Promise.all([4_000, 2_000, 3_000].map(shorten));
  expect(await expiry()).toBe(2_000);
  await admin.expireKey(hash, 6_000);
  expect(await expiry()).toBe(6_000);
});

it('issueApprovedKey issues one key for an approval, however calls race, and null for every other call', async () => {
  const { admin } = newGate();
  const { id } = await admin.createPartner({ name: 'Acme', allowedOrigins: [] });
  const issue = (approvalId: string) => admin.issueApprovedKey(id, { mode: 'live', type: 'secret' }, approvalId);
  const issued = await Promise.all(['first', 'first', 'first', 'second'].map(issue));
  expect(issued.flatMap((key) => key?.approvalId ?? []).toSorted()).toEqual(['first', 'second']);
  expect(await issue('first')).toBeNull();
  expect((await admin.listKeys(id)).map(({ key }) => key.approvalId).toSorted()).toEqual(['first', 'second']);
});

it('findByTxHash finds hashes of 40 to 128 letters and digits, and nothing by any other text', async () => {
  const t = await createTestGate();
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const { id } = await t.createSession();
  await t.settle(id);
  const { txRefid } = (await t.store.find('session', scope, id)) ?? {};
  const foundBy = async (txHash: string) => {
    const transaction = await t.store.find('transaction', scope, txRefid ?? '');
    if (transaction === null) throw new Error('The session has no transaction.');
    const { version, createdAt } = transaction;
    const row = { ...transaction, txHash, version: version + 1 };
    await t.store.commit({ ...emptyChange(scope, createdAt), transactions: [{ row, expectedVersion: version }] });
    return (await t.gate.admin.findByTxHash(row.txHash, { scopes: [scope] })).map(({ sessionId }) => sessionId);
  };
  for (const hash of ['a'.repeat(40), 'Z9'.repeat(64)]) expect(await foundBy(hash)).toEqual([id]);
  for (const text of ['a'.repeat(39), 'a'.repeat(129), `${'a'.repeat(40)}-`]) expect(await foundBy(text)).toEqual([]);
});
