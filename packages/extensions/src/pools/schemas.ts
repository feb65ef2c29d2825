import * as z from 'zod';
import { SECOND } from '@gateramp/core/domain';
import { fields, jsonBody, members } from '@gateramp/core/extension';
import { POOL_SIDES, type PoolQuoteRequest, quotePool } from './pool-quote.js';
import {
  poolBalanceResource,
  poolQuoteResource,
  poolsResource,
  poolTradeResource,
  poolTradesResource,
} from './pool-resources.js';
import { balancesOf, beginTrade, POOL_TRADE_STATUSES } from './pool-trade.js';
import type { Pool } from './pool.js';

const T0 = Date.UTC(2030, 0, 1, 12);

/** The pools product uses camelCase members and has no `object` (spec: Pools product). */
const bps = z.int().min(0).max(10_000);
const poolId = z.string();
const symbol = z.string();

const EXAMPLE_POOL: Pool = {
  partnerId: 'prt_acme',
  mode: 'live',
  id: 'pool_usdc_eur',
  version: 1,
  asset: 'USDC',
  network: 'base',
  currency: 'EUR',
  spreadBps: 30,
  feeBps: 20,
  createdAt: T0,
};

const EXAMPLE_BODY = {
  side: 'on_ramp',
  asset: 'USDC',
  network: 'base',
  amount: '100.00',
  currency: 'EUR',
  destAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const;

const EXAMPLE_QUOTE = quotePool(
  EXAMPLE_POOL,
  EXAMPLE_BODY,
  { rate: '1.08695652173913043', decimals: 6 },
  { id: '68a1f0c2b7e94d1f3a5c7e90', now: T0 },
)._unsafeUnwrap();

const EXAMPLE_TRADE = beginTrade(EXAMPLE_QUOTE, {
  id: '68a1f0d5c8fa5e204b6d8fa1',
  now: T0 + 10 * SECOND,
})._unsafeUnwrap();

const pool = z.object({ poolId, asset: symbol, network: z.string(), currency: symbol, spreadBps: bps, feeBps: bps });

export const POOLS_PAGE = members.wireType(
  'Pools',
  z.object({ data: z.array(pool), hasMore: z.boolean(), nextCursor: z.string().nullable() }),
  {
    description: 'A page of your pools, with spread and fee in basis points. `nextCursor` is null on the last page.',
    example: poolsResource([EXAMPLE_POOL]),
  },
);

export const POOL_QUOTE = members.wireType(
  'PoolQuote',
  z.object({
    quoteId: members.objectId,
    poolId,
    side: z.enum(POOL_SIDES),
    asset: symbol,
    network: z.string(),
    amountIn: members.decimal,
    currencyIn: symbol,
    amountOut: members.decimal,
    currencyOut: symbol,
    rate: members.decimal,
    spreadBps: bps,
    feeBps: bps,
    totalBps: bps,
    destAddress: z.string(),
    expiresAt: members.time,
    createdAt: members.time,
  }),
  {
    description:
      'A price of a pool, valid until `expiresAt`. Amounts and rates are decimal strings; `…Bps` are basis points.',
    example: poolQuoteResource(EXAMPLE_QUOTE),
  },
);

const trade = z.object({
  transactId: members.objectId,
  quoteId: members.objectId,
  poolId,
  status: z.enum(POOL_TRADE_STATUSES),
  amountIn: members.decimal,
  currencyIn: symbol,
  amountOut: members.decimal,
  currencyOut: symbol,
  rate: members.decimal,
  totalBps: bps,
  destAddress: z.string(),
  txHash: z.string().nullable(),
  createdAt: members.time,
  completedAt: members.time.nullable(),
});

export const POOL_TRADE = members.wireType('PoolTrade', trade, {
  description: 'A trade that executed a pool quote. Amounts and rates are decimal strings.',
  example: poolTradeResource(EXAMPLE_TRADE),
});

export const POOL_TRADES_PAGE = members.wireType(
  'PoolTrades',
  z.object({ data: z.array(trade), hasMore: z.boolean(), nextCursor: z.string().nullable() }),
  {
    description: 'A page of trades of all your pools, newest first. `nextCursor` is null on the last page.',
    example: poolTradesResource({ items: [EXAMPLE_TRADE], hasMore: false }),
  },
);

const balance = z.object({
  currency: symbol,
  total: members.decimal,
  available: members.decimal,
  reserved: members.decimal,
});

export const POOL_BALANCE = members.wireType(
  'PoolBalance',
  z.object({ poolId, balances: z.array(balance), asOf: members.time }),
  {
    description:
      'Balances of a pool per currency, as decimal strings: total, reserved for pending trades, and available.',
    example: poolBalanceResource({
      poolId: EXAMPLE_POOL.id,
      balances: balancesOf(EXAMPLE_POOL, ['9891.847827', '108.152173', '9900', '100']),
      asOf: T0 + 11 * SECOND,
    }),
  },
);

export const QUOTE_POOL_BODY = jsonBody(
  'QuotePool',
  z
    .strictObject({
      side: fields.oneOf(POOL_SIDES),
      asset: fields.token,
      network: fields.network,
      amount: fields.amount,
      currency: fields.token,
      destAddress: fields.text(128, 1),
    })
    .superRefine(fields.fitsItsCurrency),
  {
    description: 'The terms to quote. `amount` is a decimal string with at most the decimal places of `currency`.',
    example: EXAMPLE_BODY,
    to: (given): PoolQuoteRequest => given,
  },
);
