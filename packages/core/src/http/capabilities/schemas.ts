import * as z from 'zod';
import {
  type GateAsset,
  type GateCountry,
  type GateCurrency,
  type GateFlow,
  type GateLimit,
  type GateNetwork,
  type GatePaymentMethod,
  type GateTtl,
  TTL_TYPES,
} from '../../domain/capabilities/capability-rows.js';
import { decimal, flow, paymentMethod, wireType } from '../schema/members.js';

const flows = z.array(flow);
const codes = z.array(z.string());

export const COUNTRY = wireType<GateCountry>()(
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
    example: {
      object: 'country',
      code: 'DE',
      name: 'Germany',
      flows: ['on_ramp', 'off_ramp'],
      payment_methods: ['card'],
    },
  },
);

export const CURRENCY = wireType<GateCurrency>()(
  'Currency',
  z.object({ object: z.literal('currency'), code: z.string(), name: z.string(), decimals: z.int(), flows }),
  {
    description:
      'A fiat currency, by its ISO 4217 code; `decimals` is the maximum number of decimal places of an amount.',
    example: { object: 'currency', code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp', 'off_ramp'] },
  },
);

export const ASSET = wireType<GateAsset>()(
  'Asset',
  z.object({
    object: z.literal('asset'),
    code: z.string(),
    name: z.string(),
    decimals: z.int(),
    networks: codes,
    flows,
  }),
  {
    description:
      'A token, by its code, with its networks; `decimals` is the maximum number of decimal places of an amount.',
    example: { object: 'asset', code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base'], flows: ['on_ramp'] },
  },
);

export const NETWORK = wireType<GateNetwork>()(
  'Network',
  z.object({
    object: z.literal('network'),
    code: z.string(),
    name: z.string(),
    address_format: z.string(),
    assets: codes,
  }),
  {
    description: 'A network, by its code, with its assets; `address_format` is the format of its addresses.',
    example: { object: 'network', code: 'base', name: 'Base', address_format: 'evm', assets: ['USDC'] },
  },
);

export const PAYMENT_METHOD = wireType<GatePaymentMethod>()(
  'PaymentMethod',
  z.object({
    object: z.literal('payment_method'),
    code: paymentMethod,
    name: z.string(),
    flows,
    currencies: codes,
    refundable: z.boolean(),
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
    example: {
      object: 'payment_method',
      code: 'card',
      name: 'Card',
      flows: ['on_ramp'],
      currencies: ['EUR', 'USD'],
      refundable: true,
      fees: [{ type: 'service', bps: 100, fixed_amount: '0.00', currency: 'EUR', network: null }],
    },
  },
);

export const FLOW = wireType<GateFlow>()(
  'Flow',
  z.object({ object: z.literal('flow'), code: flow, enabled: z.boolean() }),
  {
    description: 'A flow (buy, sell or swap), and whether this partner may use it.',
    example: { object: 'flow', code: 'swap', enabled: false },
  },
);

export const LIMIT = wireType<GateLimit>()(
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
    example: {
      object: 'limit',
      flow: 'on_ramp',
      payment_method: 'card',
      currency: 'EUR',
      min_amount: '10.00',
      max_amount: '5000.00',
      spread_bps: 30,
    },
  },
);

export const TTL = wireType<GateTtl>()(
  'Ttl',
  z.object({ object: z.literal('ttl'), type: z.enum(TTL_TYPES), seconds: z.int().nullable() }),
  {
    description: 'Lifetime of objects of one type.',
    example: { object: 'ttl', type: 'session', seconds: 86_400 },
  },
);
