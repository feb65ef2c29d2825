import {
  BY_KEY,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type Law,
  nameOf,
  type Route,
  ROUTES,
  sendTo,
} from '../kit.js';

const TOPIC = 'HTTP: keys, hosts and endpoints';

const prefix = (route: Route) => (route.auth === 'secret' ? 'sk' : 'pk');

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

export const keyLaws: readonly Law<HttpSubject>[] = [...success, ...lives];
