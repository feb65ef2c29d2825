import { TEST_KEYS } from '@gateramp/testing';
import {
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  nameOf,
} from '../kit.js';
import { ask, openPool, POOL, quote } from './pool-calls.js';
import { POOL_ROUTES } from './pool-routes.js';
import assert from 'node:assert/strict';

const TOPIC = 'HTTP: pools, keys and denials';

const UNKNOWN = '00000000000000000nobodys';

interface Denial {
  readonly status: number;
  readonly code: string;
  readonly key?: string | null;
  readonly prepare?: (world: HttpWorld) => Promise<void>;
}

/** In the order of the contract. */
const DENIALS: readonly Denial[] = [
  { status: 401, code: 'missing_credential', key: null },
  { status: 403, code: 'key_mode_mismatch', key: TEST_KEYS.publishable.test },
  { status: 401, code: 'invalid_api_key', key: `sk_live_${UNKNOWN}` },
  {
    status: 403,
    code: 'live_keys_not_allowed',
    prepare: ({ t }) => t.gate.admin.savePartner({ ...t.partner, liveEnabled: false, entitlements: [] }),
  },
  {
    status: 403,
    code: 'pools_not_enabled',
    prepare: ({ t }) => t.gate.admin.savePartner({ ...t.partner, entitlements: ['swap', 'rails'] }),
  },
  {
    status: 403,
    code: 'pool_access_suspended',
    prepare: ({ t }) => t.gate.admin.setPoolsAccess(t.partner.id, { status: 'suspended', kyc: 'pending' }),
  },
  {
    status: 403,
    code: 'kyc_not_approved',
    prepare: ({ t }) => t.gate.admin.setPoolsAccess(t.partner.id, { status: 'active', kyc: 'pending' }),
  },
];

/** Each is planted together with all later ones, and is the one in the answer. */
const denials: readonly Law<HttpSubject>[] = POOL_ROUTES.map((route) =>
  httpLaw(
    TOPIC,
    `${nameOf(route)} denies in the contract's order: ${DENIALS.map(({ code }) => code).join(', ')}`,
    async (world) => {
      const { path, sent } = await route.sample(world);
      const { key: good, ...rest } = sent;
      for (const { status, code, key, prepare } of DENIALS.toReversed()) {
        await prepare?.(world);
        const used = key === undefined ? { key: good ?? '' } : key === null ? {} : { key };
        expectRefusal(await world.send(route.method, path, { product: 'pools', ...rest, ...used }), status, code);
      }
    },
  ),
);

const success: readonly Law<HttpSubject>[] = POOL_ROUTES.map((route) =>
  httpLaw(TOPIC, `${nameOf(route)} answers ${route.success} to what it asks for`, async (world) => {
    const { path, sent } = await route.sample(world);
    expectStatus(await ask(world, route.method, path, sent), route.success);
  }),
);

const otherPools: readonly Law<HttpSubject>[] = POOL_ROUTES.filter(({ ofPool }) => ofPool).flatMap((route) => [
  httpLaw(TOPIC, `${nameOf(route)} answers 404 pool_not_found for an unknown pool`, async (world) => {
    for (const id of ['pool_of_nobody', '%00', 'Pool_usdc_eur']) {
      const { path, sent } = await route.sample(world);
      expectRefusal(await ask(world, route.method, path.replace(POOL, id), sent), 404, 'pool_not_found');
    }
  }),
]);

export const poolKeyLaws: readonly Law<HttpSubject>[] = [
  ...success,
  ...denials,
  ...otherPools,
  httpLaw(TOPIC, 'GET /v1/pools answers 403 invalid_publishable_key to an unknown publishable key', async (world) => {
    expectRefusal(await ask(world, 'GET', '/v1/pools', { key: `pk_live_${UNKNOWN}` }), 403, 'invalid_publishable_key');
  }),
  httpLaw(
    TOPIC,
    'GET /v1/pools lists the pools of the caller by id, on one page, and of no one else',
    async (world) => {
      for (const id of ['pool_b', 'pool_a']) await openPool(world, { id });
      await openPool(world, { id: 'pool_of_others', partnerId: '65f0c0ffee65f0c0ffee0002' });
      const answer = expectStatus(await ask(world, 'GET', '/v1/pools'), 200);
      assert.deepEqual(
        itemsOf(answer).map(({ poolId }) => poolId),
        ['pool_a', 'pool_b'],
      );
      assert.deepEqual(answer.json, {
        data: ['pool_a', 'pool_b'].map((poolId) => ({
          poolId,
          asset: 'USDC',
          network: 'base',
          currency: 'EUR',
          spreadBps: 30,
          feeBps: 20,
        })),
        hasMore: false,
        nextCursor: null,
      });
    },
  ),
  httpLaw(TOPIC, 'the entitlement is asked for before the body, a pool after it', async (world) => {
    expectRefusal(await quote(world, { amount: 'x' }), 400, 'validation_failed');
    await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
    expectRefusal(await quote(world, { amount: 'x' }), 403, 'pools_not_enabled');
  }),
];
