import * as z from 'zod';
import { transactPool, type Transacted } from '../../application/pools/transact-pool.js';
import type { Idempotent } from '../../application/idempotency/idempotent.js';
import { poolTradeResource } from '../../domain/pools/pool-resources.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { KEY_REFUSALS } from '../presets.js';
import { jsonBody } from '../schema/body.js';
import { text } from '../schema/fields.js';
import { POOL_TRADE } from './pool-schemas.js';
import { POOL_REFUSALS, POOLS_WRITE } from './pools-preset.js';

export const TRANSACT_POOL_BODY = jsonBody(
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

export function transactedTrade({ trade }: Transacted) {
  return poolTradeResource(trade);
}

/** 201 for a trade that this request has made, 200 for one that was there. */
function withStatus(keyed: Idempotent<Transacted> | null): Idempotent<Transacted> | null {
  if (keyed === null) return null;
  return { ...keyed, render: (done) => ({ ...keyed.render(done), status: done.isNew ? 201 : 200 }) };
}
