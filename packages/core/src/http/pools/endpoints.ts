import * as z from 'zod';
import type { Idempotent } from '../../application/idempotency/idempotent.js';
import { quotePool } from '../../application/pools/quote-pool.js';
import {
  listPools,
  listPoolTrades,
  POOLS_NOT_ENABLED,
  retrievePoolBalance,
} from '../../application/pools/read-pools.js';
import { type Transacted, transactPool } from '../../application/pools/transact-pool.js';
import type { ErrorCode } from '../../domain/error-code.js';
import {
  poolBalanceResource,
  poolQuoteResource,
  poolsResource,
  poolTradeResource,
  poolTradesResource,
} from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { POOLS_HOST } from '../hosts.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, KEY_REFUSALS, KEYED_WRITE, SECRET_READ } from '../presets.js';
import { text } from '../schema/fields.js';
import { idOf, pageLimit } from '../schema/lists.js';
import { cursor, jsonBody, queryOf } from '../schema/request.js';
import { POOL_BALANCE, POOL_QUOTE, POOL_TRADE, POOL_TRADES_PAGE, POOLS_PAGE, QUOTE_POOL_BODY } from './schemas.js';

const ON_POOLS_HOST = {
  hosts: POOLS_HOST,
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

export const listPoolsEndpoint = endpoint({
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
});

export const quotePoolEndpoint = endpoint({
  ...POOLS_WRITE,
  name: 'quotePool',
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
    const quote = await quotePool(engine, caller, input, keyed(poolQuoteResource));
    return quote.map((answered) => answer(answered, poolQuoteResource));
  },
});

const TRANSACT_POOL_BODY = jsonBody(
  'TransactPool',
  z.strictObject({ quoteId: text(64, 1), destAddress: text(128, 1) }),
  {
    description: 'The quote to execute, and the address it was created for.',
    example: { quoteId: '68a1f0c2b7e94d1f3a5c7e90', destAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
    to: (fields) => fields,
  },
);

export const transactPoolEndpoint = endpoint({
  ...POOLS_WRITE,
  name: 'transactPool',
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
    const done = await transactPool(engine, caller, { poolId: param(params, 'id'), ...body }, use);
    return done.map((answered) => answer(answered, transactedTrade));
  },
});

function transactedTrade({ trade }: Transacted) {
  return poolTradeResource(trade);
}

/** 201 for a new trade, 200 for an existing one. */
function withStatus(keyed: Idempotent<Transacted> | null): Idempotent<Transacted> | null {
  if (keyed === null) return null;
  return { ...keyed, render: (done) => ({ ...keyed.render(done), status: done.isNew ? 201 : 200 }) };
}

export const retrievePoolBalanceEndpoint = endpoint({
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
});

/** spec: Pools product. */
const TRADES_LIMIT_DEFAULT = 50;

const LIST_TRADES_QUERY = queryOf({ cursor, limit: pageLimit(TRADES_LIMIT_DEFAULT) }, (given) => ({
  cursor: given.cursor === undefined ? null : idOf(given.cursor),
  limit: given.limit === undefined ? TRADES_LIMIT_DEFAULT : Number(given.limit),
}));

export const listPoolTradesEndpoint = endpoint({
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
});
