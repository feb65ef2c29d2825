import { createTestGate, TEST_WIDGET_ORIGINS } from '@gateramp/testing';
import { expect, it } from 'vitest';

const STANDARD = ['ratelimit', 'ratelimit-policy', 'retry-after'] as const;

const standardOf = (headers: Readonly<Record<string, string>>) => STANDARD.map((name) => headers[name] ?? null);

it('sends no standard rate-limit headers unless the policy enables them', async () => {
  const t = await createTestGate({ rateLimits: 'on' });
  for (let hit = 0; hit < 10; hit += 1) await t.request('GET', '/nowhere');
  const blocked = await t.request('GET', '/nowhere');
  expect([blocked.status, ...standardOf(blocked.headers)]).toEqual([429, null, null, null]);
});

it("shows every window in RateLimit and RateLimit-Policy in addition to the contract's own headers, and the wait in Retry-After", async () => {
  const t = await createTestGate({ rateLimits: 'on', policy: { standardRateLimitHeaders: true } });
  const first = await t.request('GET', '/nowhere');
  expect(standardOf(first.headers)).toEqual([
    '"short";r=9;t=10, "medium";r=59;t=60, "long";r=299;t=3600',
    '"short";q=10;w=10, "medium";q=60;w=60, "long";q=300;w=3600',
    null,
  ]);
  expect(first.headers['x-ratelimit-remaining-short']).toBe('9');
  for (let hit = 1; hit < 10; hit += 1) await t.request('GET', '/nowhere');
  const blocked = await t.request('GET', '/nowhere');
  expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, blocked.headers['retry-after-short']]);
  const own = await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
  expect(standardOf(own.headers)).toEqual(['"route";r=59;t=60', '"route";q=60;w=60', null]);
});

it('exposes them to pages if they are sent', async () => {
  const exposed = async (standardRateLimitHeaders: boolean) => {
    const t = await createTestGate({ policy: { standardRateLimitHeaders } });
    const headers = { origin: TEST_WIDGET_ORIGINS.test, 'x-embed-token': await t.embed(await t.createSession()) };
    return (await t.request('GET', '/v1/embed/session', { headers })).headers['access-control-expose-headers'];
  };
  expect(await exposed(true)).toContain('Retry-After, RateLimit, RateLimit-Policy');
  expect(await exposed(false)).not.toContain('RateLimit-Policy');
});
