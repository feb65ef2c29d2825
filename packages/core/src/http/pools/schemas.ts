import * as z from 'zod';
import { POOL_SIDES, type PoolQuoteRequest } from '../../domain/pools/pool-quote.js';
import type {
  GatePool,
  GatePoolBalance,
  GatePoolQuote,
  GatePoolsPage,
  GatePoolTrade,
} from '../../domain/pools/pool-resources.js';
import { POOL_TRADE_STATUSES } from '../../domain/pools/pool-trade.js';
import { amount, fitsItsCurrency, network, oneOf, text, token } from '../schema/fields.js';
import { decimal, objectId, time, wireType } from '../schema/members.js';
import { jsonBody } from '../schema/request.js';

/** The pools product names its members in camelCase and has no `object` (spec: Pools product). */
const bps = z.int().min(0).max(10_000);
const poolId = z.string();
const symbol = z.string();

const EXAMPLE_POOL: GatePool = {
  poolId: 'pool_usdc_eur',
  asset: 'USDC',
  network: 'base',
  currency: 'EUR',
  spreadBps: 30,
  feeBps: 20,
};

const pool = z.object({ poolId, asset: symbol, network: z.string(), currency: symbol, spreadBps: bps, feeBps: bps });

export const POOLS_PAGE = wireType<GatePoolsPage<GatePool>>()(
  'Pools',
  z.object({ data: z.array(pool), hasMore: z.boolean(), nextCursor: z.string().nullable() }),
  {
    description: 'A page of your pools, with spread and fee in basis points. `nextCursor` is null on the last page.',
    example: { data: [EXAMPLE_POOL], hasMore: false, nextCursor: null },
  },
);

export const POOL_QUOTE = wireType<GatePoolQuote>()(
  'PoolQuote',
  z.object({
    quoteId: objectId,
    poolId,
    side: z.enum(POOL_SIDES),
    asset: symbol,
    network: z.string(),
    amountIn: decimal,
    currencyIn: symbol,
    amountOut: decimal,
    currencyOut: symbol,
    rate: decimal,
    spreadBps: bps,
    feeBps: bps,
    totalBps: bps,
    destAddress: z.string(),
    expiresAt: time,
    createdAt: time,
  }),
  {
    description:
      'A price of a pool, valid until `expiresAt`. Amounts and rates are decimal strings; `…Bps` are basis points.',
    example: {
      quoteId: '68a1f0c2b7e94d1f3a5c7e90',
      poolId: 'pool_usdc_eur',
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      amountIn: '100.00',
      currencyIn: 'EUR',
      amountOut: '108.152173',
      currencyOut: 'USDC',
      rate: '1.08695652173913043',
      spreadBps: 30,
      feeBps: 20,
      totalBps: 50,
      destAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
      expiresAt: '2030-01-01T12:00:30.000Z',
      createdAt: '2030-01-01T12:00:00.000Z',
    },
  },
);

const EXAMPLE_TRADE: GatePoolTrade = {
  transactId: '68a1f0d5c8fa5e204b6d8fa1',
  quoteId: '68a1f0c2b7e94d1f3a5c7e90',
  poolId: 'pool_usdc_eur',
  status: 'processing',
  amountIn: '100.00',
  currencyIn: 'EUR',
  amountOut: '108.152173',
  currencyOut: 'USDC',
  rate: '1.08695652173913043',
  totalBps: 50,
  destAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  txHash: null,
  createdAt: '2030-01-01T12:00:10.000Z',
  completedAt: null,
};

const trade = z.object({
  transactId: objectId,
  quoteId: objectId,
  poolId,
  status: z.enum(POOL_TRADE_STATUSES),
  amountIn: decimal,
  currencyIn: symbol,
  amountOut: decimal,
  currencyOut: symbol,
  rate: decimal,
  totalBps: bps,
  destAddress: z.string(),
  txHash: z.string().nullable(),
  createdAt: time,
  completedAt: time.nullable(),
});

export const POOL_TRADE = wireType<GatePoolTrade>()('PoolTrade', trade, {
  description: 'A trade that executed a pool quote. Amounts and rates are decimal strings.',
  example: EXAMPLE_TRADE,
});

export const POOL_TRADES_PAGE = wireType<GatePoolsPage<GatePoolTrade>>()(
  'PoolTrades',
  z.object({ data: z.array(trade), hasMore: z.boolean(), nextCursor: z.string().nullable() }),
  {
    description: 'A page of trades of all your pools, newest first. `nextCursor` is null on the last page.',
    example: { data: [EXAMPLE_TRADE], hasMore: false, nextCursor: null },
  },
);

const balance = z.object({ currency: symbol, total: decimal, available: decimal, reserved: decimal });

export const POOL_BALANCE = wireType<GatePoolBalance>()(
  'PoolBalance',
  z.object({ poolId, balances: z.array(balance), asOf: time }),
  {
    description:
      'Balances of a pool per currency, as decimal strings: total, reserved for pending trades, and available.',
    example: {
      poolId: 'pool_usdc_eur',
      balances: [
        { currency: 'USDC', total: '10000', available: '9891.847827', reserved: '108.152173' },
        { currency: 'EUR', total: '10000', available: '9900', reserved: '100' },
      ],
      asOf: '2030-01-01T12:00:11.000Z',
    },
  },
);

export const QUOTE_POOL_BODY = jsonBody(
  'QuotePool',
  z
    .strictObject({
      side: oneOf(POOL_SIDES),
      asset: token,
      network,
      amount,
      currency: token,
      destAddress: text(128, 1),
    })
    .superRefine(fitsItsCurrency),
  {
    description: 'The terms to quote. `amount` is a decimal string with at most the decimal places of `currency`.',
    example: {
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      amount: '100.00',
      currency: 'EUR',
      destAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
    },
    to: (fields): PoolQuoteRequest => fields,
  },
);
