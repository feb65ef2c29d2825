import * as z from 'zod';
import { ok } from 'neverthrow';
import { type ErrorCode, refuse } from '@gateramp/core/domain';
import {
  cursor,
  endpoint,
  fields,
  GLOBAL_TIERS,
  type Host,
  type Idempotent,
  idOf,
  jsonBody,
  KEY_REFUSALS,
  KEYED_WRITE,
  pageLimit,
  param,
  queryOf,
  SECRET_READ,
} from '@gateramp/core/extension';
import {
  poolBalanceResource,
  poolQuoteResource,
  poolsResource,
  poolTradeResource,
  poolTradesResource,
} from './pool-resources.js';
import type { PoolProvider } from './pool-provider.js';
import { quotePool } from './quote-pool.js';
import { listPools, listPoolTrades, POOLS_NOT_ENABLED, retrievePoolBalance } from './read-pools.js';
import { POOL_BALANCE, POOL_QUOTE, POOL_TRADE, POOL_TRADES_PAGE, POOLS_PAGE, QUOTE_POOL_BODY } from './schemas.js';
import { type Transacted, transactPool } from './transact-pool.js';

/** The host of the pools product. It has no sandbox, and a key used for another request is a conflict (spec: Pools product). */
export const POOLS_HOST: Host = {
  name: 'pools',
  mode: 'live',
  checkKey: (key) =>
    key.mode === 'live' ? ok(key) : refuse('key_mode_mismatch', 'Pools are live only; use a live key (sk_live_…).'),
  wrongMode: 'key_mode_mismatch',
  statuses: { idempotency_key_mismatch: 409 },
  server: { url: 'https://pools.gateramp.example', description: 'the pools product, live mode' },
};

const ON_POOLS_HOST = {
  hosts: [POOLS_HOST],
  requires: { entitlement: 'pools', code: 'pools_not_enabled', message: POOLS_NOT_ENABLED },
  limits: GLOBAL_TIERS,
} as const;

const POOLS_READ = { ...SECRET_READ, ...ON_POOLS_HOST, scope: 'pools:read' } as const;

const POOLS_WRITE = { ...KEYED_WRITE, ...ON_POOLS_HOST, scope: 'pools:write' } as const;

/** Refusals that depend on the partner, not on a pool. */
const ACCESS_REFUSALS = [
  'pools_not_enabled',
  'pool_access_suspended',
  'kyc_not_approved',
] as const satisfies readonly ErrorCode[];

const POOL_REFUSALS = [
  ...ACCESS_REFUSALS,
  'pool_not_allowed',
  'pool_not_found',
] as const satisfies readonly ErrorCode[];

const TRANSACT_POOL_BODY = jsonBody(
  'TransactPool',
  z.strictObject({ quoteId: fields.text(64, 1), destAddress: fields.text(128, 1) }),
  {
    description: 'The quote to execute, and the address it was created for.',
    example: { quoteId: '68a1f0c2b7e94d1f3a5c7e90', destAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
    to: (given) => given,
  },
);

function transactedTrade({ trade }: Transacted) {
  return poolTradeResource(trade);
}

/** 201 for a new trade, 200 for an existing one. */
function withStatus(keyed: Idempotent<Transacted> | null): Idempotent<Transacted> | null {
  if (keyed === null) return null;
  return { ...keyed, render: (done) => ({ ...keyed.render(done), status: done.isNew ? 201 : 200 }) };
}

/** spec: Pools product. */
const TRADES_LIMIT_DEFAULT = 50;

const LIST_TRADES_QUERY = queryOf({ cursor, limit: pageLimit(TRADES_LIMIT_DEFAULT) }, (given) => ({
  cursor: given.cursor === undefined ? null : idOf(given.cursor),
  limit: given.limit === undefined ? TRADES_LIMIT_DEFAULT : Number(given.limit),
}));

/** The endpoints of the pools product, by their names on `gate.pools`. */
export function poolEndpoints(provider: PoolProvider) {
  return {
    list: endpoint({
      ...POOLS_READ,
      name: 'listPools',
      path: '/v1/pools',
      summary: 'List your pools',
      auth: 'any_key',
      reply: POOLS_PAGE,
      refusals: ACCESS_REFUSALS,
      run: async ({ engine, caller }) => {
        const pools = await listPools(engine, caller);
        return pools.map(poolsResource);
      },
    }),
    quote: endpoint({
      ...POOLS_WRITE,
      name: 'quotePool',
      beginsPayment: true,
      path: '/v1/pools/{id}/quote',
      summary: 'Create a quote for a pool',
      idempotency: 'honoured',
      body: QUOTE_POOL_BODY,
      reply: POOL_QUOTE,
      refusals: [
        ...KEY_REFUSALS,
        ...POOL_REFUSALS,
        'off_ramp_not_available',
        'asset_network_mismatch',
        'corridor_not_supported',
        'wallet_address_invalid',
        'amount_below_minimum',
        'amount_above_maximum',
      ],
      run: async ({ engine, caller, params, body, keyed, answer }) => {
        const input = { poolId: param(params, 'id'), request: body };
        const quote = await quotePool({ engine, provider }, caller, input, keyed(poolQuoteResource));
        return quote.map((answered) => answer(answered, poolQuoteResource));
      },
    }),
    transact: endpoint({
      ...POOLS_WRITE,
      name: 'transactPool',
      beginsPayment: true,
      path: '/v1/pools/{id}/transact',
      summary: 'Execute a pool quote',
      body: TRANSACT_POOL_BODY,
      known: 200,
      reply: POOL_TRADE,
      refusals: [
        ...KEY_REFUSALS,
        ...POOL_REFUSALS,
        'quote_not_found',
        'corridor_not_supported',
        'amount_below_minimum',
        'amount_above_maximum',
        'terms_mismatch',
        'quote_expired',
        'insufficient_balance',
      ],
      run: async ({ engine, caller, params, body, keyed, answer }) => {
        const use = withStatus(keyed(transactedTrade));
        const done = await transactPool({ engine, provider }, caller, { poolId: param(params, 'id'), ...body }, use);
        return done.map((answered) => answer(answered, transactedTrade));
      },
    }),
    balance: endpoint({
      ...POOLS_READ,
      name: 'retrievePoolBalance',
      path: '/v1/pools/{id}/balance',
      summary: 'Retrieve the balance of a pool',
      reply: POOL_BALANCE,
      refusals: POOL_REFUSALS,
      run: async ({ engine, caller, params }) => {
        const read = await retrievePoolBalance(engine, caller, param(params, 'id'));
        return read.map(poolBalanceResource);
      },
    }),
    trades: endpoint({
      ...POOLS_READ,
      name: 'listPoolTrades',
      path: '/v1/pools/trades',
      summary: 'List trades of all your pools, newest first',
      query: LIST_TRADES_QUERY,
      reply: POOL_TRADES_PAGE,
      refusals: [...ACCESS_REFUSALS, 'transaction_not_found'],
      run: async ({ engine, caller, query }) => {
        const page = await listPoolTrades(engine, caller, query);
        return page.map(poolTradesResource);
      },
    }),
  };
}
