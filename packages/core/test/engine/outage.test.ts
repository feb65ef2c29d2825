import { nodeCrypto } from '@gateramp/core/runtime';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';

it('a gate whose keyring cannot be opened responds with 503 service_unavailable and rate-limit headers, and counts the request', async () => {
  const t = await createTestGate({ rateLimits: 'on' });
  const crypto = nodeCrypto({ masterKey: null });
  const outage = Object.assign(new Error('the store is away'), { outage: true });
  const cut = t.restart({ crypto: { ...crypto, open: () => Promise.reject(outage) } });
  for (const remaining of ['59', '58']) {
    const answer = await cut.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
    expect([answer.status, answer.json['code']]).toEqual([503, 'service_unavailable']);
    expect(answer.headers).toMatchObject({
      'x-ratelimit-limit-short': '60',
      'x-ratelimit-remaining-short': remaining,
      'x-ratelimit-reset-short': '60',
    });
  }
  // Responses that need no key are unaffected, in the order of the checks.
  expect((await cut.request('GET', '/nowhere')).status).toBe(404);
});
