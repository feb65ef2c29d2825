import assert from 'node:assert/strict';
import {
  type Answer,
  create,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  nameOf,
  open,
  retrieve,
  type Route,
  ROUTES,
  SECRET,
  textOf,
  unknownPath,
} from '../kit.js';

const TOPIC = 'HTTP: rate limits';
const ON = { rateLimits: 'on' } as const;

interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

function windowOf({ headers }: Answer): Window {
  const read = (name: string) => Number(headers[`x-ratelimit-${name}-short`]);
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

/** A request that is refused without a credential, but still counted. */
function hit(world: HttpWorld, route: Route, mode: 'test' | 'live' = 'test'): Promise<Answer> {
  return world.send(route.method, unknownPath(route), { mode });
}

async function hits(world: HttpWorld, path: string, count: number): Promise<Answer> {
  let last = await world.send('GET', path);
  for (let each = 1; each < count; each += 1) last = await world.send('GET', path);
  return last;
}

/** Routes with their own limit. */
const LIMITED = ROUTES.flatMap((route) => (typeof route.limit === 'number' ? [{ ...route, limit: route.limit }] : []));
const SHARED = ROUTES.filter((route) => route.limit === 'shared');
const FREE = ROUTES.filter((route) => route.limit === null);

const ownLimits: readonly Law<HttpSubject>[] = LIMITED.flatMap((route) => {
  const { limit } = route;
  return [
    httpLaw(
      TOPIC,
      `${nameOf(route)} answers ${limit} requests per 60 s, then 429 rate_limit_exceeded, before any other check`,
      async (world) => {
        for (let used = 1; used <= limit; used += 1) {
          const answer = expectStatus(await hit(world, route), 401);
          assert.deepEqual(windowOf(answer), { limit, remaining: limit - used, reset: 60 });
        }
        const blocked = await hit(world, route);
        expectRefusal(blocked, 429, 'rate_limit_exceeded');
        assert.deepEqual(windowOf(blocked), { limit, remaining: 0, reset: 60 });
        assert.equal(blocked.headers['retry-after-short'], '60');
        assert.equal(blocked.headers['retry-after'], undefined);
        expectRefusal(await world.send(route.method, unknownPath(route), { key: SECRET }), 429, 'rate_limit_exceeded');
      },
      ON,
    ),
    httpLaw(
      TOPIC,
      `${nameOf(route)} is free again 60 s after the first hit of the window`,
      async (world) => {
        await hit(world, route);
        await world.t.clock.advance('59s');
        for (let used = 1; used < limit; used += 1) await hit(world, route);
        const blocked = await hit(world, route);
        expectRefusal(blocked, 429, 'rate_limit_exceeded');
        assert.equal(blocked.headers['retry-after-short'], '1');
        await world.t.clock.advance('1s');
        assert.deepEqual(windowOf(expectStatus(await hit(world, route), 401)), {
          limit,
          remaining: limit - 1,
          reset: 60,
        });
      },
      ON,
    ),
  ];
});

const independent: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'a spent route blocks no other route, and no other host',
    async (world) => {
      const [spent] = LIMITED;
      assert.ok(spent !== undefined);
      for (let each = 0; each <= spent.limit; each += 1) await hit(world, spent);
      expectRefusal(await hit(world, spent), 429, 'rate_limit_exceeded');
      for (const route of LIMITED.slice(1)) assert.equal((await hit(world, route)).status, 401, nameOf(route));
      expectStatus(await hit(world, spent, 'live'), 401);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'limits count per path template: two ids share one window, and list and retrieve have one each',
    async (world) => {
      const ids = [textOf(await open(world), 'id'), textOf(await open(world), 'id')];
      const seen: number[] = [];
      for (const id of [...ids, ...ids]) seen.push(windowOf(await retrieve(world, id)).remaining);
      assert.deepEqual(seen, [59, 58, 57, 56]);
      assert.equal(windowOf(await world.send('GET', '/v1/gate_sessions', { key: SECRET })).remaining, 59);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'a partner with a rate_limit_factor is counted per partner, every limit times that, though its address has none left',
    async (world) => {
      for (let each = 0; each <= 10; each += 1) await world.send('POST', '/v1/gate_sessions');
      expectRefusal(await world.send('POST', '/v1/gate_sessions'), 429, 'rate_limit_exceeded');
      for (let used = 1; used <= 20; used += 1)
        assert.deepEqual(windowOf(expectStatus(await create(world), 201)), {
          limit: 20,
          remaining: 20 - used,
          reset: 60,
        });
      const blocked = await create(world);
      expectRefusal(blocked, 429, 'rate_limit_exceeded');
      assert.deepEqual(windowOf(blocked), { limit: 20, remaining: 0, reset: 60 });
      assert.equal(blocked.headers['retry-after-short'], '60');
      assert.equal(windowOf(await world.send('GET', '/v1/gate_sessions', { key: SECRET })).limit, 120);
      const stranger = 'sk_test_00000000000000000stranger';
      expectRefusal(await world.send('POST', '/v1/gate_sessions', { key: stranger }), 429, 'rate_limit_exceeded');
    },
    { ...ON, partner: { rateLimitFactor: 2 } },
  ),
  httpLaw(
    TOPIC,
    'a partner without its rate_limit_factor any more is counted per address again',
    async (world) => {
      expectStatus(await create(world), 201);
      await world.t.gate.admin.savePartner({ ...world.t.partner, rateLimitFactor: null });
      await world.t.clock.advance('5s');
      // The first request after the change may still be counted under the old setting.
      expectStatus(await create(world), 201);
      assert.equal(windowOf(expectStatus(await create(world), 201)).limit, 10);
    },
    { ...ON, partner: { rateLimitFactor: 2 } },
  ),
  httpLaw(
    TOPIC,
    'a rateLimitFactor of the policy multiplies every limit, per address',
    async (world) => {
      assert.deepEqual(windowOf(expectStatus(await create(world), 201)), { limit: 15, remaining: 14, reset: 60 });
      assert.deepEqual(windowOf(await world.send('GET', '/nowhere')), { limit: 15, remaining: 14, reset: 10 });
      assert.deepEqual(windowOf(await world.send('GET', '/health')), { limit: 15, remaining: 14, reset: 10 });
    },
    { ...ON, policy: { rateLimitFactor: 1.5 } },
  ),
  httpLaw(
    TOPIC,
    'limits count per client address, not per key',
    async (world) => {
      for (let each = 0; each < 10; each += 1) expectStatus(await create(world), 201);
      const second = 'sk_test_0000000000000secondsecret';
      await world.t.gate.admin.addKey(world.t.partner.id, second);
      expectRefusal(await create(world, {}, { key: second }), 429, 'rate_limit_exceeded');
      const elsewhere = {
        key: SECRET,
        idempotencyKey: 'elsewhere',
        clientIp: '198.51.100.9',
        body: { amount: '1', currency: 'EUR', return_url: 'https://shop.example' },
      };
      assert.equal((await world.t.request('POST', '/v1/gate_sessions', elsewhere)).status, 201);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'a forwarding header does not make a client another one',
    async (world) => {
      const seen: number[] = [];
      for (const address of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) {
        const headers = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
        seen.push(windowOf(await world.send('GET', '/v1/transactions', { key: SECRET, headers })).remaining);
      }
      assert.deepEqual(seen, [59, 58, 57]);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'HEAD counts in the window of GET',
    async (world) => {
      const seen: number[] = [];
      for (const method of ['GET', 'HEAD', 'GET'])
        seen.push(windowOf(await world.send(method, '/v1/transactions', { key: SECRET })).remaining);
      assert.deepEqual(seen, [59, 58, 57]);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'an IPv6 client is its /64, and every spelling of an address is that address',
    async ({ t }) => {
      const remaining = async (clientIp: string) =>
        Number(
          (await t.request('GET', '/v1/transactions', { key: SECRET, clientIp })).headers[
            'x-ratelimit-remaining-short'
          ],
        );
      const spellings = [
        '2001:db8:1:2::1',
        '2001:DB8:1:2::1',
        '[2001:db8:1:2::1]',
        '[2001:db8:1:2:0:0:0:1]:443',
        '2001:db8:1:2:ffff:ffff:ffff:ffff',
        '2001:db8:1:2::1%eth0',
      ];
      const mapped = [
        '198.51.100.9',
        '198.51.100.9:4711',
        '::ffff:198.51.100.9',
        '::FFFF:c633:6409',
        '[::ffff:198.51.100.9]:80',
        '0:0:0:0:0:ffff:198.51.100.9',
      ];
      for (const client of [spellings, mapped]) {
        const seen: number[] = [];
        for (const spelling of client) seen.push(await remaining(spelling));
        assert.deepEqual(seen, [59, 58, 57, 56, 55, 54]);
      }
      for (const other of ['2001:db8:1:3::1', '198.51.100.8', '::1']) assert.equal(await remaining(other), 59, other);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'refused requests count like answered ones',
    async (world) => {
      const remaining: number[] = [];
      remaining.push(windowOf(await create(world)).remaining);
      remaining.push(windowOf(await create(world, { amount: '0' })).remaining);
      remaining.push(windowOf(await create(world, {}, { key: 'nonsense' })).remaining);
      remaining.push(windowOf(await create(world, {}, { body: '{' })).remaining);
      assert.deepEqual(remaining, [9, 8, 7, 6]);
    },
    ON,
  ),
];

const tiers: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'unknown routes share the global tiers: 10 per 10 s',
    async (world) => {
      assert.deepEqual(windowOf(expectStatus(await world.send('GET', '/nowhere'), 404)), {
        limit: 10,
        remaining: 9,
        reset: 10,
      });
      assert.equal(windowOf(await hits(world, '/elsewhere', 9)).remaining, 0);
      const blocked = await world.send('POST', '/anywhere');
      expectRefusal(blocked, 429, 'rate_limit_exceeded');
      assert.equal(blocked.headers['retry-after-short'], '10');
      await world.t.clock.advance('10s');
      expectStatus(await world.send('GET', '/nowhere'), 404);
    },
    ON,
  ),
  httpLaw(
    TOPIC,
    'the global tiers apply together: 60 per 60 s, and 300 per hour, each reported when it is the closest to blocking',
    async (world) => {
      // Blocked requests count too: bursts of 15 use up the minute before its last ten seconds.
      const minute = async () => {
        for (let burst = 0; burst < 4; burst += 1) {
          await hits(world, '/nowhere', 15);
          await world.t.clock.advance('10s');
        }
      };
      await minute();
      const medium = await world.send('GET', '/nowhere');
      expectRefusal(medium, 429, 'rate_limit_exceeded');
      assert.deepEqual(windowOf(medium), { limit: 60, remaining: 0, reset: 20 });
      assert.equal(medium.headers['retry-after-short'], '20');
      await world.t.clock.advance('20s');
      for (let each = 0; each < 4; each += 1) {
        await minute();
        await world.t.clock.advance('20s');
      }
      const long = await world.send('GET', '/nowhere');
      expectRefusal(long, 429, 'rate_limit_exceeded');
      assert.deepEqual(windowOf(long), { limit: 300, remaining: 0, reset: 3300 });
      await world.t.clock.advance('1h');
      expectStatus(await world.send('GET', '/nowhere'), 404);
    },
    ON,
  ),
  ...SHARED.map((route) =>
    httpLaw(
      TOPIC,
      `${nameOf(route)} counts in the global tiers, with unknown routes and all others without a limit of their own`,
      async (world) => {
        for (let used = 1; used <= 5; used += 1)
          assert.deepEqual(windowOf(expectStatus(await hit(world, route), 401)), {
            limit: 10,
            remaining: 10 - used,
            reset: 10,
          });
        assert.equal(windowOf(await hits(world, '/nowhere', 5)).remaining, 0);
        expectRefusal(await hit(world, route), 429, 'rate_limit_exceeded');
      },
      ON,
    ),
  ),
  httpLaw(
    TOPIC,
    'routes with a limit of their own count in no global tier',
    async (world) => {
      for (let each = 0; each < 20; each += 1) await world.send('GET', '/v1/transactions');
      assert.equal(windowOf(await world.send('GET', '/nowhere')).remaining, 9);
    },
    ON,
  ),
];

const unthrottled: readonly Law<HttpSubject>[] = FREE.map((route) =>
  httpLaw(
    TOPIC,
    `${nameOf(route)} is never throttled, counts nothing and carries the rate headers all the same`,
    async (world) => {
      await hits(world, '/nowhere', 11);
      for (let each = 0; each < 320; each += 1) {
        const answer = await hit(world, route);
        assert.notEqual(answer.status, 429);
        assert.deepEqual(windowOf(answer), { limit: 10, remaining: 0, reset: 10 });
      }
      await world.t.clock.advance('10s');
      assert.equal(windowOf(await world.send('GET', '/nowhere')).remaining, 9);
    },
    ON,
  ),
);

export const rateLimitLaws: readonly Law<HttpSubject>[] = [...ownLimits, ...independent, ...tiers, ...unthrottled];
