import assert from 'node:assert/strict';
import { TEST_WIDGET_ORIGINS } from '../../../../test-gate/create-test-gate.js';
import type { Law } from '../../../law.js';
import type { HttpSubject } from '../../subject.js';
import { expectRefusal, expectStatus, textOf, type Answer } from '../answer.js';
import { bootstrap, buyer, open, SECRET, SHOP } from '../calls.js';
import { nameOf, ROUTES, sendTo, unknownPath } from '../routes.js';
import { httpLaw } from '../world.js';

const TOPIC = 'HTTP: CORS';

const WIDGET = TEST_WIDGET_ORIGINS.test;
const FOREIGN = 'https://evil.example';
const EXPOSED = ['x-request-id', 'x-ratelimit-limit-short', 'x-ratelimit-remaining-short', 'x-ratelimit-reset-short', 'retry-after-short'];

const WITH_CORS = ROUTES.filter((route) => route.cors);
const WITHOUT = ROUTES.filter((route) => !route.cors);

function named({ headers }: Answer): string | undefined {
  return headers['access-control-allow-origin'];
}

function words(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').map((word) => word.trim().toLowerCase());
}

function checkNamed(answer: Answer, origin: string): void {
  assert.equal(named(answer), origin);
  // Cookies of the page must never travel: tokens are the only authority.
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  for (const header of EXPOSED) assert.ok(words(answer.headers['access-control-expose-headers']).includes(header), header);
  assert.ok(words(answer.headers['vary']).includes('origin'));
}

const preflights: readonly Law<HttpSubject>[] = WITH_CORS.map((route) =>
  httpLaw(TOPIC, `a preflight of ${nameOf(route)} passes for any origin, and lets the checkout's headers through`, async (world) => {
    for (const origin of [SHOP, WIDGET, FOREIGN, 'null']) {
      const headers = { 'access-control-request-method': route.method, 'access-control-request-headers': 'authorization,content-type' };
      const answer = expectStatus(await world.send('OPTIONS', unknownPath(route), { origin, headers }), 204);
      assert.equal(answer.text, '');
      assert.equal(named(answer), origin);
      assert.ok(words(answer.headers['access-control-allow-methods']).includes(route.method.toLowerCase()));
      for (const header of ['authorization', 'content-type', 'idempotency-key', 'x-embed-token']) {
        assert.ok(words(answer.headers['access-control-allow-headers']).includes(header), header);
      }
      assert.ok(words(answer.headers['vary']).includes('origin'));
    }
  }),
);

const without: readonly Law<HttpSubject>[] = WITHOUT.map((route) =>
  httpLaw(TOPIC, `${nameOf(route)} is for servers: no origin may preflight or read it`, async (world) => {
    for (const origin of [SHOP, WIDGET]) {
      const preflight = await world.send('OPTIONS', unknownPath(route), { origin, headers: { 'access-control-request-method': route.method } });
      expectRefusal(preflight, 404, 'route_not_found');
      assert.equal(named(preflight), undefined);
    }
    const { path, sent } = await route.sample(world, 'test');
    const answer = expectStatus(await sendTo(world, route, { path, sent: { ...sent, origin: SHOP } }), route.success);
    assert.equal(named(answer), undefined);
  }),
);

const embed: readonly Law<HttpSubject>[] = WITH_CORS.filter((route) => route.auth === 'embed').flatMap((route) => [
  httpLaw(TOPIC, `${nameOf(route)} names the widget's origin alone, and always varies by Origin`, async (world) => {
    const { path, sent } = await route.sample(world, 'test');
    const answer = expectStatus(await sendTo(world, route, { path, sent: { ...sent, origin: WIDGET } }), route.success);
    checkNamed(answer, WIDGET);
    for (const origin of [SHOP, FOREIGN, 'null', TEST_WIDGET_ORIGINS.live, `${WIDGET}.evil.example`]) {
      const other = await sendTo(world, route, { path, sent: { ...sent, origin } });
      assert.equal(named(other), undefined);
      assert.ok(words(other.headers['vary']).includes('origin'));
    }
    const none = await sendTo(world, route, { path, sent });
    assert.ok(words(none.headers['vary']).includes('origin'));
  }),
  httpLaw(TOPIC, `the widget may read the refusals of ${nameOf(route)}`, async (world) => {
    const answer = await world.send(route.method, unknownPath(route), { origin: WIDGET });
    expectRefusal(answer, 401, 'invalid_embed_token');
    checkNamed(answer, WIDGET);
  }),
]);

export const corsLaws: readonly Law<HttpSubject>[] = [
  ...preflights,
  ...without,
  ...embed,
  httpLaw(TOPIC, 'POST /v1/embed/bootstrap names the partner\'s allowed origins, also in its refusals', async (world) => {
    checkNamed(expectStatus(await bootstrap(world, null), 200), SHOP);
    checkNamed(await bootstrap(world, 'gsec_unknown'), SHOP);
    checkNamed(await bootstrap(world, null, { body: { client_secret: 'x' } }), SHOP);
  }),
  httpLaw(TOPIC, 'POST /v1/embed/bootstrap names no origin that is not allowed, and always varies by Origin', async (world) => {
    for (const origin of [FOREIGN, 'null', 'http://shop.example', `${SHOP}.evil.example`, `${SHOP}/`, SHOP.toUpperCase()]) {
      const answer = await bootstrap(world, null, { origin });
      expectRefusal(answer, 403, 'origin_not_allowed');
      assert.equal(named(answer), undefined);
      assert.ok(words(answer.headers['vary']).includes('origin'));
    }
  }),
  httpLaw(TOPIC, 'POST /v1/embed/bootstrap names the widget\'s origin when it opens a session', async (world) => {
    const session = await open(world);
    checkNamed(expectStatus(await bootstrap(world, textOf(session, 'client_secret'), { origin: WIDGET }), 200), WIDGET);
  }),
  httpLaw(TOPIC, 'the widget may read a 429, and when to come back', async (world) => {
    const { token } = await buyer(world);
    let answer = await world.send('GET', '/v1/embed/session', { token, origin: WIDGET });
    for (let each = 0; each < 120; each += 1) answer = await world.send('GET', '/v1/embed/session', { token, origin: WIDGET });
    expectRefusal(answer, 429, 'rate_limit_exceeded');
    checkNamed(answer, WIDGET);
  }, { rateLimits: 'on' }),
  httpLaw(TOPIC, 'OPTIONS without an Origin is no preflight: 404 route_not_found', async (world) => {
    expectRefusal(await world.send('OPTIONS', '/v1/embed/bootstrap', { key: SECRET }), 404, 'route_not_found');
  }),
];
