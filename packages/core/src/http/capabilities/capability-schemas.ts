import * as z from 'zod';
import type {
  GateAsset,
  GateCountry,
  GateCurrency,
  GateFlow,
  GateLimit,
  GateNetwork,
  GatePaymentMethod,
} from '../../domain/capabilities/capability-rows.js';
import { decimal, flow, paymentMethod } from '../schema/members.js';
import { wireType } from '../schema/wire-type.js';

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
  { object: 'country', code: 'DE', name: 'Germany', flows: ['on_ramp', 'off_ramp'], payment_methods: ['card'] },
);

export const CURRENCY = wireType<GateCurrency>()(
  'Currency',
  z.object({ object: z.literal('currency'), code: z.string(), name: z.string(), decimals: z.int(), flows }),
  { object: 'currency', code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp', 'off_ramp'] },
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
  { object: 'asset', code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base'], flows: ['on_ramp'] },
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
  { object: 'network', code: 'base', name: 'Base', address_format: 'evm', assets: ['USDC'] },
);

export const PAYMENT_METHOD = wireType<GatePaymentMethod>()(
  'PaymentMethod',
  z.object({
    object: z.literal('payment_method'),
    code: paymentMethod,
    name: z.string(),
    flows,
    currencies: codes,
  }),
  { object: 'payment_method', code: 'card', name: 'Card', flows: ['on_ramp'], currencies: ['EUR', 'USD'] },
);

export const FLOW = wireType<GateFlow>()(
  'Flow',
  z.object({ object: z.literal('flow'), code: flow, enabled: z.boolean() }),
  { object: 'flow', code: 'swap', enabled: false },
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
  }),
  {
    object: 'limit',
    flow: 'on_ramp',
    payment_method: 'card',
    currency: 'EUR',
    min_amount: '10.00',
    max_amount: '5000.00',
  },
);
