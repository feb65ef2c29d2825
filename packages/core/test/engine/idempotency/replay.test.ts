import { DAY } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate, type TestResponse } from '@gateramp/testing';
import { CARDS, checkout } from '../checkout.js';

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

const create = (t: TestGate, body: unknown = BODY, idempotencyKey = 'k'): Promise<TestResponse> =>
  t.request('POST', '/v1/gate_sessions', { key: t.keys.secret.test, idempotencyKey, body });

describe('a repeat with the same key', () => {
  it('returns the same status and body, the original X-Request-Id, and current rate-limit headers', async () => {
    const t = await createTestGate({ rateLimits: 'on' });
    const first = await create(t);
    const again = await create(t);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers['x-request-id']).toBe(first.headers['x-request-id']);
    const left = (answer: TestResponse) => Number(answer.headers['x-ratelimit-remaining-short']);
    expect(left(again)).toBe(left(first) - 1);
  });

  it('returns them from another process too', async () => {
    const t = await createTestGate();
    const first = await create(t);
    expect((await create(t.restart())).text).toBe(first.text);
  });

  it('returns them for 24 hours inclusive; a millisecond later the key is free', async () => {
    const t = await createTestGate();
    const first = await create(t);
    await t.clock.advanceTo(t.clock.now('test') + DAY);
    expect((await create(t)).text).toBe(first.text);
    await t.clock.advanceTo(t.clock.now('test') + 1);
    const fresh = await create(t);
    expect(fresh.status).toBe(201);
    expect(fresh.json['id']).not.toBe(first.json['id']);
  });

  it('and another body gets 422; a different order of members is the same body', async () => {
    const t = await createTestGate();
    const first = await create(t);
    const { return_url, currency, amount } = BODY;
    expect((await create(t, { return_url, currency, amount })).text).toBe(first.text);
    const other = await create(t, { ...BODY, amount: '100.01' });
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_mismatch']);
  });

  it('after a refusal may have a corrected body', async () => {
    const t = await createTestGate();
    const foreign = await create(t, { ...BODY, return_url: 'https://elsewhere.example/done' });
    expect([foreign.status, foreign.json['code']]).toEqual([403, 'origin_not_allowed']);
    expect((await create(t)).status).toBe(201);
  });

  it.each([
    ['its origin has left the allow-list', BODY, { allowedOrigins: ['https://elsewhere.example'] }],
    ['trust in its kyc_package was withdrawn', { ...BODY, kyc_package: { provider: 'acme' } }, { kycTrusted: false }],
    ['swap was disabled', { ...BODY, flow: 'swap' }, { entitlements: [] }],
  ])('gets the stored reply although %s', async (_, body, change) => {
    const t = await createTestGate();
    const first = await create(t, body);
    expect(first.status).toBe(201);
    await t.gate.admin.savePartner({ ...t.partner, ...change });
    expect((await create(t, body)).text).toBe(first.text);
    expect((await create(t, body, 'another')).status).toBe(403);
  });

  it('returns them with another valid key of the same partner, but not with a revoked one', async () => {
    const t = await createTestGate();
    const first = await create(t);
    const rotated = 'sk_test_1111111111111111rotatedsecret';
    await t.gate.admin.addKey(t.partner.id, rotated);
    await t.gate.admin.revokeKey(t.keys.secret.test);
    const again = await t.request('POST', '/v1/gate_sessions', { key: rotated, idempotencyKey: 'k', body: BODY });
    expect(again.text).toBe(first.text);
    expect((await create(t)).json['code']).toBe('revoked_api_key');
  });

  it('leaves nothing in the vault of a kyc_package that was refused or repeated', async () => {
    const t = await createTestGate();
    const kept: string[] = [];
    const vault = {
      ...t.vault,
      store: async (entry: Parameters<typeof t.vault.store>[0]) => (kept.push(entry.sessionId), t.vault.store(entry)),
    };
    const vouched = { ...BODY, kyc_package: { provider: 'acme', name: 'Ada' } };
    const other = t.restart({ vault });
    const first = await create(other, vouched);
    await create(other, vouched);
    expect(kept).toEqual([first.json['id']]);
    expect((await create(other, { ...vouched, amount: '1.00' })).status).toBe(422);
    expect(kept.map((id) => t.vault.find(id) !== null)).toEqual([true]);
  });

  it('for an attempt replays its bytes although the session has changed', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const first = await shop.begin(CARDS.pays, 'attempt');
    await t.clock.advance('5m');
    expect((await shop.session()).status).toBe('completed');
    const again = await shop.begin(CARDS.pays, 'attempt');
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await shop.session()).attempts).toBe(1);
  });

  it('on embed calls never collides with the same key of another session', async () => {
    const t = await createTestGate();
    const [one, other] = [await checkout(t), await checkout(t)];
    const answers = [await one.begin(CARDS.pays, 'same'), await other.begin(CARDS.pays, 'same')];
    expect(answers.map((answer) => [answer.status, answer.json['session_id']])).toEqual([
      [201, one.id],
      [201, other.id],
    ]);
  });
});
