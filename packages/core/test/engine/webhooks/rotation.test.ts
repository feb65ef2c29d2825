import { createHash } from 'node:crypto';
import { nodeCrypto, verifyWebhook } from '@gateramp/core/runtime';
import type { ReceivedWebhook, TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { partnerTools } from './partner-tools.js';

const ROTATE = '/portal/webhook-secret/rotate';

async function sent(t: TestGate): Promise<ReceivedWebhook> {
  t.receiver.clear();
  await t.createSession();
  await t.gate.runDue();
  const [webhook, another] = t.receiver.received;
  if (webhook === undefined || another !== undefined) throw new Error('One webhook was expected.');
  return webhook;
}

function signatures(webhook: ReceivedWebhook): number {
  return (webhook.headers['gate-signature'] ?? '').split('v1=').length - 1;
}

function verifies(t: TestGate, webhook: ReceivedWebhook, secret: unknown): boolean {
  const header = webhook.headers['gate-signature'] ?? '';
  return verifyWebhook(webhook.body, header, String(secret), { now: t.clock.wall() }).ok;
}

it('200 without a body ends the old secret immediately', async () => {
  const { t, post } = await partnerTools();
  const rotated = await post(ROTATE);
  expect(rotated.status).toBe(200);
  const { secret, prefix, ...rest } = rotated.json;
  expect(rest).toEqual({
    object: 'webhook_secret',
    mode: 'test',
    created_at: new Date(t.clock.now('test')).toISOString(),
    previous_expires_at: null,
  });
  expect(secret).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
  expect(String(secret).startsWith(String(prefix))).toBe(true);
  const webhook = await sent(t);
  expect(webhook.headers['gate-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect([verifies(t, webhook, secret), webhook.verified]).toEqual([true, false]);
});

it('both secrets sign until the end of the grace period on the clock of the mode, inclusive', async () => {
  const { t, post } = await partnerTools();
  const { json } = await post(ROTATE, { body: { grace_period_seconds: 3600 } });
  expect(json['previous_expires_at']).toBe(new Date(t.clock.now('test') + 3_600_000).toISOString());
  const both = await sent(t);
  expect(both.headers['gate-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect([verifies(t, both, json['secret']), both.verified]).toEqual([true, true]);
  await t.clock.advance('1h');
  expect((await sent(t)).verified).toBe(true);
  await t.clock.advance(1);
  const after = await sent(t);
  expect([verifies(t, after, json['secret']), after.verified]).toEqual([true, false]);
  expect(after.headers['gate-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
});

it('a second rotation ends the first grace period: never more than two signatures', async () => {
  const { t, post } = await partnerTools();
  const first = await post(ROTATE, { body: { grace_period_seconds: 86_400 } });
  const second = await post(ROTATE, { body: { grace_period_seconds: 86_400 } });
  const webhook = await sent(t);
  expect(signatures(webhook)).toBe(2);
  expect(verifies(t, webhook, second.json['secret'])).toBe(true);
  expect(verifies(t, webhook, first.json['secret'])).toBe(true);
  expect(webhook.verified).toBe(false);
});

it('the secret is shown once: only a repeat with its key shows it again, and rotates nothing', async () => {
  const { t, post } = await partnerTools();
  const shown = await post(ROTATE, { idempotencyKey: 'key-1' });
  const repeat = await post(ROTATE, { idempotencyKey: 'key-1' });
  expect(repeat.text).toBe(shown.text);
  expect(verifies(t, await sent(t), shown.json['secret'])).toBe(true);
  const endpoint = JSON.stringify(await t.gate.admin.findEndpoint({ partnerId: t.partner.id, mode: 'test' }));
  expect(endpoint).not.toContain(String(shown.json['secret']));
});

it('needs no URL, and a URL set afterwards is signed with the rotated secret', async () => {
  const { t } = await partnerTools();
  const scope = { partnerId: t.partner.id, mode: 'live' } as const;
  const rotated = await t.request('POST', ROTATE, { key: t.keys.secret.live, mode: 'live' });
  expect(rotated.status).toBe(200);
  await t.gate.admin.setEndpoint(scope, { url: 'https://shop.example/live', secret: null });
  await t.request('POST', '/v1/webhooks/test', { key: t.keys.secret.live, mode: 'live' });
  await t.gate.runDue();
  const [webhook] = t.receiver.received;
  expect(webhook?.url).toBe('https://shop.example/live');
  expect(webhook !== undefined && verifies(t, webhook, rotated.json['secret'])).toBe(true);
});

it('setting a URL during a rotation does not undo it', async () => {
  const { t, scope } = await partnerTools();
  const findEndpoint = t.store.findEndpoint.bind(t.store);
  let isFirst = true;
  const store = {
    ...t.store,
    findEndpoint: async (...given: Parameters<typeof findEndpoint>) => {
      const found = await findEndpoint(...given);
      if (isFirst) {
        isFirst = false;
        rotated = await t.request('POST', ROTATE, { key: t.keys.secret.test });
      }
      return found;
    },
  };
  let rotated = await t.request('GET', '/health');
  await t.restart({ store }).gate.admin.setEndpoint(scope, { url: 'https://moved.example/', secret: null });
  const webhook = await sent(t);
  expect(webhook.url).toBe('https://moved.example/');
  expect(verifies(t, webhook, rotated.json['secret'])).toBe(true);
});

it.each([-1, 86_401, 1.5, '60'])('400 for a grace period of %j', async (seconds) => {
  const { post } = await partnerTools();
  expect((await post(ROTATE, { body: { grace_period_seconds: seconds } })).status).toBe(400);
});

it('404 if the host manages the secrets of its partners itself', async () => {
  const { t } = await partnerTools();
  const partners = {
    findKey: t.store.findKey.bind(t.store),
    findPartner: t.store.findPartner.bind(t.store),
    findEndpoint: t.store.findEndpoint.bind(t.store),
  };
  const hosted = t.restart({ partners });
  const refused = await hosted.request('POST', ROTATE, { key: t.keys.secret.test });
  expect([refused.status, refused.json['code']]).toEqual([404, 'route_not_found']);
});

const testKeyring = () => nodeCrypto({ masterKey: createHash('sha256').update('of this test').digest() });

it("a secret can be decrypted only in its own row: in another partner's or the other mode's it signs nothing", async () => {
  const keyring = testKeyring();
  const { t, post, scope } = await partnerTools({ ports: { crypto: keyring } });
  await post(ROTATE);
  const own = (await t.store.findEndpoint(scope)) ?? expect.unreachable();
  for (const other of [{ ...scope, mode: 'live' } as const, { ...scope, partnerId: 'other' }])
    for (const { sealed } of own.secrets)
      expect(() => keyring.openSecret(sealed, other)).toThrow(/belongs to another owner/);
  const live = { ...scope, mode: 'live' } as const;
  await t.store.save('endpoint', { ...own, ...live });
  t.receiver.clear();
  await t.gate.sessions.create(live, { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/done' });
  await t.gate.runDue();
  expect(t.receiver.received).toEqual([]);
});

it('a secret encrypted by an earlier version still signs, and is bound to its owner by the next change', async () => {
  const keyring = testKeyring();
  const { t, post, scope } = await partnerTools({ ports: { crypto: keyring } });
  const secret = 'whsec_0123456789abcdef0123';
  const unbound = { sealed: keyring.sealSecret(secret), createdAt: 0, expiresAt: null };
  const before = (await t.store.findEndpoint(scope)) ?? expect.unreachable();
  await t.store.save('endpoint', { ...before, secrets: [unbound] });
  expect(verifies(t, await sent(t), secret)).toBe(true);

  const known = { url: before.url, secret: null };
  await t.gate.admin.setEndpoint(scope, known);
  expect((await t.store.findEndpoint(scope))?.secrets).toEqual([unbound]);
  await t.gate.admin.setEndpoint(scope, { ...known, url: 'https://shop.example/hooks/2' });
  await t.gate.admin.setEndpoint(scope, known);
  const bound = (await t.store.findEndpoint(scope)) ?? expect.unreachable();
  expect(() => keyring.openSecret(bound.secrets[0]?.sealed ?? '', { ...scope, mode: 'live' })).toThrow(/owner/);
  expect(verifies(t, await sent(t), secret)).toBe(true);

  await t.store.save('endpoint', { ...before, secrets: [unbound] });
  await post(ROTATE, { body: { grace_period_seconds: 60 } });
  for (const { sealed } of (await t.store.findEndpoint(scope))?.secrets ?? expect.unreachable())
    expect(() => keyring.openSecret(sealed, { ...scope, mode: 'live' })).toThrow(/owner/);
  expect(verifies(t, await sent(t), secret)).toBe(true);
});
