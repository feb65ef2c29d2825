import type { Mode } from '@gateramp/core';
import { TEST_KEYS } from '@gateramp/testing';
import type { Law } from '../../../law.js';
import type { HttpSubject } from '../../subject.js';
import { expectRefusal, expectStatus } from '../answer.js';
import { BY_KEY, nameOf, ROUTES, sendTo, unknownPath, type Route } from '../routes.js';
import { httpLaw, type HttpWorld } from '../world.js';

const TOPIC = 'HTTP: keys, hosts and endpoints';

/** A key that is not good here, and what every endpoint says to it. */
interface BadKey {
  readonly when: string;
  readonly host: Mode;
  readonly header: (world: HttpWorld, route: Route) => Promise<string | null>;
  readonly status: number;
  readonly code: (route: Route) => string;
}

const UNKNOWN = '00000000000000000nobodys';

const MALFORMED = [
  'Bearer',
  'Bearer nonsense',
  `Basic ${TEST_KEYS.secret.test}`,
  TEST_KEYS.secret.test,
  `Bearer ${TEST_KEYS.secret.test} more`,
  'Bearer sk_prod_0000000000000000testsecret',
  'Bearer rk_test_0000000000000000testsecret',
  'Bearer sk_test_',
  'Bearer sk_test_00000000000000\u00e9',
];

const prefix = (route: Route) => (route.auth === 'secret' ? 'sk' : 'pk');
const otherPrefix = (route: Route) => (route.auth === 'secret' ? 'pk' : 'sk');
const bearer = (text: string) => Promise.resolve(`Bearer ${text}`);

const BAD_KEYS: readonly BadKey[] = [
  {
    when: 'without a credential',
    host: 'test',
    header: async () => null,
    status: 401,
    code: () => 'missing_credential',
  },
  {
    when: 'to a live key of its own type on the sandbox host',
    host: 'test',
    status: 403,
    code: () => 'live_key_on_sandbox',
    header: (_, route) => bearer(TEST_KEYS[route.auth === 'secret' ? 'secret' : 'publishable'].live),
  },
  {
    when: 'to an unknown live key of the wrong type on the sandbox host, before any look-up',
    host: 'test',
    status: 403,
    code: () => 'live_key_on_sandbox',
    header: (_, route) => bearer(`${otherPrefix(route)}_live_${UNKNOWN}`),
  },
  {
    when: 'to a test key of its own type on the live host',
    host: 'live',
    status: 403,
    code: () => 'test_key_on_live',
    header: (_, route) => bearer(TEST_KEYS[route.auth === 'secret' ? 'secret' : 'publishable'].test),
  },
  {
    when: 'to an unknown test key of the wrong type on the live host, before any look-up',
    host: 'live',
    status: 403,
    code: () => 'test_key_on_live',
    header: (_, route) => bearer(`${otherPrefix(route)}_test_${UNKNOWN}`),
  },
  {
    when: 'to a good key of the wrong type',
    host: 'test',
    status: 403,
    code: () => 'wrong_key_type',
    header: (_, route) => bearer(TEST_KEYS[route.auth === 'secret' ? 'publishable' : 'secret'].test),
  },
  {
    when: 'to an unknown key of the wrong type',
    host: 'test',
    status: 403,
    code: () => 'wrong_key_type',
    header: (_, route) => bearer(`${otherPrefix(route)}_test_${UNKNOWN}`),
  },
  {
    when: 'to an unknown key',
    host: 'test',
    status: 0,
    header: (_, route) => bearer(`${prefix(route)}_test_${UNKNOWN}`),
    code: (route) => (route.auth === 'secret' ? 'invalid_api_key' : 'invalid_publishable_key'),
  },
  {
    when: 'to a revoked key',
    host: 'test',
    status: 401,
    code: () => 'revoked_api_key',
    header: async ({ t }, route) => {
      const key = `${prefix(route)}_test_000000000000000torevoke`;
      await t.gate.admin.addKey(t.partner.id, key);
      await t.gate.admin.revokeKey(key);
      return `Bearer ${key}`;
    },
  },
  {
    when: 'to an expired key',
    host: 'test',
    status: 401,
    code: () => 'expired_api_key',
    header: async ({ t }, route) => {
      const key = `${prefix(route)}_test_000000000000000toexpire`;
      await t.gate.admin.addKey(t.partner.id, key, { expiresAt: t.clock.now('test') - 1 });
      return `Bearer ${key}`;
    },
  },
  {
    when: 'to the live key of a partner that is not cleared for live',
    host: 'live',
    status: 403,
    code: () => 'live_keys_not_allowed',
    header: async ({ t }, route) => {
      await t.gate.admin.savePartner({ ...t.partner, liveEnabled: false });
      return `Bearer ${TEST_KEYS[route.auth === 'secret' ? 'secret' : 'publishable'].live}`;
    },
  },
];

const refusals: readonly Law<HttpSubject>[] = BY_KEY.flatMap((route) =>
  BAD_KEYS.filter((bad) => route.hosts.includes(bad.host)).map((bad) => {
    const code = bad.code(route);
    // An unknown secret key authenticates nobody; an unknown publishable key is forbidden (C12).
    const status = bad.status || (code === 'invalid_api_key' ? 401 : 403);
    return httpLaw(TOPIC, `${nameOf(route)} answers ${status} ${code} ${bad.when}`, async (world) => {
      const { path, sent } = await route.sample(world, bad.host);
      const { key: _, ...rest } = sent;
      const header = await bad.header(world, route);
      const headers = header === null ? {} : { authorization: header };
      expectRefusal(await world.send(route.method, path, { ...rest, headers }), status, code);
    });
  }),
);

const malformed: readonly Law<HttpSubject>[] = BY_KEY.map((route) =>
  httpLaw(
    TOPIC,
    `${nameOf(route)} answers 401 malformed_credential to anything but "Bearer" and one key`,
    async (world) => {
      for (const header of MALFORMED) {
        const answer = await world.send(route.method, unknownPath(route), { headers: { authorization: header } });
        expectRefusal(answer, 401, 'malformed_credential');
      }
    },
  ),
);

const success: readonly Law<HttpSubject>[] = ROUTES.flatMap((route) =>
  route.hosts.map((mode) =>
    httpLaw(
      TOPIC,
      `${nameOf(route)} answers ${route.success} on the ${mode} host to what it asks for`,
      async (world) => {
        expectStatus(await sendTo(world, route, await route.sample(world, mode)), route.success);
      },
    ),
  ),
);

const absent: readonly Law<HttpSubject>[] = ROUTES.filter((route) => !route.hosts.includes('live')).map((route) =>
  httpLaw(TOPIC, `${nameOf(route)} answers 404 route_not_found on the live host, whatever the key`, async (world) => {
    for (const key of [TEST_KEYS.secret.live, TEST_KEYS.secret.test, 'nonsense']) {
      expectRefusal(await world.send(route.method, unknownPath(route), { mode: 'live', key }), 404, 'route_not_found');
    }
  }),
);

const lives: readonly Law<HttpSubject>[] = BY_KEY.map((route) =>
  httpLaw(TOPIC, `${nameOf(route)} takes a key until the instant it expires`, async (world) => {
    const { path, sent } = await route.sample(world, 'test');
    const key = `${prefix(route)}_test_000000000000000tooutlive`;
    await world.t.gate.admin.addKey(world.t.partner.id, key, { expiresAt: world.t.clock.now('test') + 1_000 });
    await world.t.clock.advance(1_000);
    expectStatus(await world.send(route.method, path, { ...sent, key }), route.success);
    await world.t.clock.advance(1);
    expectRefusal(await world.send(route.method, path, { ...sent, key }), 401, 'expired_api_key');
  }),
);

const open: readonly Law<HttpSubject>[] = ROUTES.filter((route) => route.auth === 'none' || route.auth === 'embed').map(
  (route) =>
    httpLaw(TOPIC, `${nameOf(route)} asks for no key, and a bad one changes nothing`, async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      expectStatus(await world.send(route.method, path, { ...sent, key: 'nonsense' }), route.success);
    }),
);

export const keyLaws: readonly Law<HttpSubject>[] = [
  ...success,
  ...refusals,
  ...malformed,
  ...lives,
  ...open,
  ...absent,
];
