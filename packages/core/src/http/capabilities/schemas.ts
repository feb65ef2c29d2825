import * as z from 'zod';
import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  limitRows,
  networkRows,
  paymentMethodRows,
  TTL_TYPES,
  ttlRows,
} from '../../domain/capabilities/capability-rows.js';
import { WALLETS } from '../../domain/capabilities/capabilities.js';
import { type JsonMembers, type JsonText, toJsonText } from '../../domain/json.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import { CAPABILITIES, PARTNER } from '../examples.js';
import { decimal, flow, paymentMethod, wireType } from '../schema/members.js';

const flows = z.array(flow);
const codes = z.array(z.string());

function firstOf<Row extends JsonMembers>([first]: readonly Row[]): JsonText<Row> {
  if (first === undefined) throw new Error('A list of the example capabilities is empty.');
  return toJsonText(first);
}

export const COUNTRY = wireType(
  'Country',
  z.object({
    object: z.literal('country'),
    code: z.string(),
    name: z.string(),
    flows,
    payment_methods: z.array(paymentMethod),
  }),
  {
    description: 'A supported country, by its two-letter code, with the flows and payment methods available there.',
    example: firstOf(countryRows(CAPABILITIES)),
  },
);

export const CURRENCY = wireType(
  'Currency',
  z.object({ object: z.literal('currency'), code: z.string(), name: z.string(), decimals: z.int(), flows }),
  {
    description:
      'A fiat currency, by its ISO 4217 code; `decimals` is the maximum number of decimal places of an amount.',
    example: firstOf(currencyRows(CAPABILITIES)),
  },
);

/** What a token cannot be used for at the moment. */
export const unavailableMarkets = z.array(
  z.object({ flow, used_as: z.enum(['source', 'target']), network: z.string(), currency: z.string() }),
);

export const ASSET = wireType(
  'Asset',
  z.object({
    object: z.literal('asset'),
    code: z.string(),
    name: z.string(),
    decimals: z.int(),
    networks: codes,
    flows,
    unavailable: unavailableMarkets,
  }),
  {
    description:
      'A token, by its code, with its networks; `decimals` is the maximum number of decimal places of an amount.',
    example: firstOf(assetRows(CAPABILITIES)),
  },
);

export const NETWORK = wireType(
  'Network',
  z.object({
    object: z.literal('network'),
    code: z.string(),
    name: z.string(),
    address_format: z.string(),
    assets: codes,
    flows,
  }),
  {
    description: 'A network, by its code, with its assets; `address_format` is the format of its addresses.',
    example: firstOf(networkRows(CAPABILITIES)),
  },
);

/** A provider's component for payment entry. */
export const component = z.object({
  provider: z.string(),
  wallet: z.enum(WALLETS).nullable(),
  token: z.string(),
  frame_url: z.string(),
});

export const PAYMENT_METHOD = wireType(
  'PaymentMethod',
  z.object({
    object: z.literal('payment_method'),
    code: paymentMethod,
    name: z.string(),
    flows,
    currencies: codes,
    refundable: z.boolean(),
    savable: z.boolean(),
    components: z.array(component),
    fees: z.array(
      z.object({
        type: z.string(),
        bps: z.int(),
        fixed_amount: decimal,
        currency: z.string(),
        network: z.string().nullable(),
      }),
    ),
  }),
  {
    description: 'A payment method, with the flows and fiat currencies that it supports.',
    example: firstOf(paymentMethodRows(CAPABILITIES)),
  },
);

export const FLOW = wireType('Flow', z.object({ object: z.literal('flow'), code: flow, enabled: z.boolean() }), {
  description: 'A flow (buy, sell or swap), and whether this partner may use it.',
  example: firstOf(flowRows(CAPABILITIES, PARTNER)),
});

export const LIMIT = wireType(
  'Limit',
  z.object({
    object: z.literal('limit'),
    flow,
    payment_method: paymentMethod,
    currency: z.string(),
    min_amount: decimal,
    max_amount: decimal,
    spread_bps: z.int().nullable(),
  }),
  {
    description: 'The smallest and largest amount of one payment method in one flow, as decimal strings in `currency`.',
    example: firstOf(limitRows(CAPABILITIES)),
  },
);

export const TTL = wireType(
  'Ttl',
  z.object({ object: z.literal('ttl'), type: z.enum(TTL_TYPES), seconds: z.int().nullable() }),
  {
    description: 'Lifetime of objects of one type.',
    example: firstOf(ttlRows(CAPABILITIES, DEFAULT_POLICY)),
  },
);
