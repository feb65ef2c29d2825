import * as z from 'zod';
import { POOL_SIDES, type PoolQuoteRequest } from '../../domain/pools/pool-quote.js';
import { jsonBody } from '../schema/body.js';
import { oneOf, text } from '../schema/fields.js';
import { amount, fitsItsCurrency, network, token } from '../schema/money-fields.js';

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
