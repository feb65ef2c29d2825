import { isEntitled } from '@gateramp/core/domain';
import type { PoolAdministration } from '@gateramp/extensions/pools';
import { err, ok } from 'neverthrow';
import type { Gate } from './gate.js';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE, refusal, refuse } from './refusal.js';
import { list, listOf } from './schemas.js';
import { sees } from './visitor.js';

const POOL = z.object({
  partner_id: z.string(),
  id: z.string(),
  asset: z.string(),
  network: z.string(),
  currency: z.string(),
  spread_bps: z.number(),
  fee_bps: z.number(),
  balances: z.array(z.object({ currency: z.string(), total: z.string(), available: z.string(), reserved: z.string() })),
});

const MOVEMENT = z
  .object({
    outcome: z.enum(['moved', 'known']).describe('`known`: this reference was booked before, so nothing was moved.'),
  })
  .meta({ id: 'PoolMovement' });

/** Null for a gate without the extension. */
function poolsOf(admin: Gate['admin']): PoolAdministration | null {
  // An extension adds all of its members.
  return 'listPools' in admin ? (admin as Gate['admin'] & PoolAdministration) : null;
}

/** Partners whose pools are listed. Each takes a read of its own. */
const POOL_PARTNERS_MAX = 50;

export const POOL_ENDPOINTS = [
  endpoint({
    method: 'GET',
    name: 'listPools',
    audience: 'operators',
    needs: 'viewer',
    reason: 'never',
    path: '/pools',
    summary: 'List pools and their balances, of one partner, or of the first 50, those entitled to pools first',
    query: z.strictObject({ partner: z.string().optional(), mode: z.literal('live').optional() }),
    body: null,
    reply: listOf(POOL),
    success: 200,
    run: async ({ admin, visitor, query: { partner }, path }) => {
      if (partner !== undefined && (!sees(visitor, partner) || (await admin.findPartner(partner)) === null))
        return err(NOTHING_HERE);
      const seen = (await admin.listPartners()).filter(({ id }) => sees(visitor, id));
      // A partner that lost its entitlement keeps its pools.
      const byEntitlement = [
        ...seen.filter((one) => isEntitled(one, 'pools')),
        ...seen.filter((one) => !isEntitled(one, 'pools')),
      ].map(({ id }) => id);
      const listed = partner === undefined ? byEntitlement : [partner];
      const pools = await Promise.all(
        listed.slice(0, POOL_PARTNERS_MAX).map(async (id) =>
          ((await poolsOf(admin)?.listPools(id)) ?? []).map(({ spreadBps, feeBps, balances, ...pool }) => ({
            partner_id: id,
            ...pool,
            spread_bps: spreadBps,
            fee_bps: feeBps,
            balances: balances.map((one) => ({ ...one })),
          })),
        ),
      );
      return ok({ json: list(pools.flat(), path, listed.length > POOL_PARTNERS_MAX) });
    },
  }),
  endpoint({
    method: 'POST',
    name: 'movePoolBalance',
    path: '/partners/{partner_id}/pools/{id}/movements',
    summary: 'Deposit into a pool or withdraw available funds, once a second person has approved it',
    audience: 'operators',
    needs: 'operator',
    reason: 'always',
    secondPerson: {
      isCollected: false,
      about: async ({ params }) => ({ partnerId: params['partner_id'] ?? '', mode: 'live' }),
      check: async ({ admin, body: { currency }, params }) => {
        const pools = await poolsOf(admin)?.listPools(params['partner_id'] ?? '');
        const pool = pools?.find(({ id }) => id === params['id']);
        if (pool === undefined) return NOTHING_HERE;
        const names = pool.balances.map((one) => one.currency);
        return names.includes(currency)
          ? null
          : refusal('validation_failed', `currency: must be one of the currencies of the pool: ${names.join(', ')}.`);
      },
    },
    query: null,
    body: z.object({
      currency: z.string().max(32),
      amount: z
        .string()
        .regex(/^-?\d{1,30}(\.\d{1,18})?$/)
        .describe('Negative to withdraw.'),
      reference: z
        .string()
        .regex(/^[\x21-\x7e]{1,100}$/)
        .describe('Idempotency reference: booked once per pool and currency.'),
    }),
    reply: MOVEMENT,
    success: 200,
    run: async ({ admin, params, body }) => {
      const movement = { poolId: params['id'] ?? '', ...body };
      const outcome = await poolsOf(admin)?.movePoolBalance(params['partner_id'] ?? '', movement);
      switch (outcome) {
        case 'moved':
        case 'known':
          return ok({ json: { outcome } });
        case undefined:
          return err(NOTHING_HERE);
        case 'insufficient':
          return refuse('validation_failed', 'amount: exceeds the available balance of the pool. Nothing was moved.');
        case 'other_amount':
          return refuse('validation_failed', 'reference: was already used with another amount. Nothing was moved.');
      }
    },
  }),
];
