import assert from 'node:assert/strict';
import { ENDPOINTS } from '@gateramp/core/http';
import type { Law } from '../../../law.js';
import type { HttpSubject } from '../../subject.js';
import { expectRefusal } from '../answer.js';
import { nameOf, ROUTES, sendTo } from '../routes.js';
import { httpLaw } from '../world.js';

const TOPIC = 'HTTP: entitlements';

const PRODUCTS = { rails: 'rails_api_not_enabled', pools: 'pools_not_enabled' } as const;

export const entitlementLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'every endpoint that asks for an entitlement is known here to ask for it, and no other', async () => {
    // Those of the pools host are denied with their other denials, in `pools/key-laws.ts`.
    const asked = ENDPOINTS.filter(({ requires, hosts }) => requires !== null && !hosts.includes('pools'));
    assert.deepEqual(
      ROUTES.filter((route) => route.product !== undefined)
        .map((route) => [nameOf(route), route.product])
        .sort(),
      asked.map(({ method, path, requires }) => [`${method} ${path}`, requires?.entitlement]).sort(),
    );
  }),
  ...ROUTES.flatMap((route) => {
    const { product } = route;
    if (product === undefined) return [];
    const code = PRODUCTS[product];
    return route.hosts.map((mode) =>
      httpLaw(
        TOPIC,
        `${nameOf(route)} answers 403 ${code} on the ${mode} host to a partner without it`,
        async (world) => {
          const sample = await route.sample(world, mode);
          await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
          expectRefusal(await sendTo(world, route, sample), 403, code);
        },
      ),
    );
  }),
];
