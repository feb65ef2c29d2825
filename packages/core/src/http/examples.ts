import type { Capabilities } from '../domain/capabilities/capabilities.js';
import { MINUTE, SECOND } from '../domain/instant.js';
import type { JsonText } from '../domain/json.js';
import type { Partner } from '../domain/partner/partner.js';
import { DEFAULT_POLICY } from '../domain/policy.js';
import { applyOutcome } from '../domain/purchase/apply-outcome.js';
import { beginPurchase } from '../domain/purchase/begin-purchase.js';
import { NO_DETAILS, type Outcome, type SettlementDetails } from '../domain/purchase/outcome.js';
import type { Purchase, PurchaseStep } from '../domain/purchase/purchase.js';
import { fixQuote, type Quote } from '../domain/quote/quote.js';
import { beginRailPayment, type NewRailPayment } from '../domain/rails/begin-rail-payment.js';
import { redactedIban } from '../domain/rails/rail-payment.js';
import { beginRefund, settleRefund, withBankActions } from '../domain/transaction/refund.js';
import type { EventData, EventType } from '../domain/webhook/event-types.js';
import { EXAMPLE_OPENED } from './sessions/schemas.js';

/** Source of the examples of resources: one session and one purchase, produced by the domain's own functions. */
const { session } = EXAMPLE_OPENED;

/** Creation time of the session. */
export const T0 = session.createdAt;

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const INTENT_ID = '68a1f0d5c8fa5e204b6d8fa1';
const TX_REFID = 'gtx_4fQ9bTzW1kLmX7cVn2Rs';

export const PARTNER: Partner = {
  id: session.partnerId,
  name: 'Acme',
  allowedOrigins: ['https://shop.example'],
  kycTrusted: false,
  liveEnabled: true,
  entitlements: [],
  completedSessionsQuota: 1000,
};

export const CAPABILITIES: Capabilities & Required<Pick<Capabilities, 'components' | 'savable'>> = {
  flows: ['on_ramp', 'off_ramp', 'swap'],
  paymentMethods: { on_ramp: ['card', 'bank_transfer'], off_ramp: ['bank_transfer'], swap: ['crypto'] },
  refundable: ['card'],
  savable: ['card'],
  countries: [{ code: 'DE', name: 'Germany', flows: ['on_ramp', 'off_ramp'], paymentMethods: ['card'] }],
  currencies: [{ code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp', 'off_ramp'] }],
  assets: [{ code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base'], flows: ['on_ramp', 'off_ramp'] }],
  networks: [{ code: 'base', name: 'Base', addressFormat: 'evm' }],
  limits: [
    {
      flow: 'on_ramp',
      paymentMethod: 'card',
      currency: 'EUR',
      minAmount: '10.00',
      maxAmount: '5000.00',
      spreadBps: 30,
    },
  ],
  fees: [{ paymentMethod: 'card', type: 'service', bps: 100, fixedAmount: '0.00', currency: 'EUR', network: null }],
  components: [
    {
      paymentMethod: 'card',
      provider: 'acquirer',
      wallet: 'apple_pay',
      token: 'wallet_component',
      frameUrl: 'https://acquirer.example/component',
    },
  ],
};

export const QUOTE: Quote = {
  id: 'quote_7tYx2',
  paymentMethod: 'card',
  available: true,
  unavailableReason: null,
  source: { amount: '101.50', currency: 'EUR', network: null },
  destination: { amount: '108.12', currency: 'USDC', network: 'base' },
  exchangeRate: '1.08120000000000000',
  sourceSubtotal: '100.00',
  sourceTotal: '101.50',
  fees: [{ type: 'processing', amount: '1.50', currency: 'EUR' }],
  feeTotal: '1.50',
  limits: { minAmount: '10.00', maxAmount: '5000.00', currency: 'EUR' },
  estimatedSettlementSeconds: 60,
  expiresAt: T0 + 5 * MINUTE,
};

export const PRICE_REQUEST = {
  side: 'on_ramp',
  currency: 'EUR',
  asset: 'USDC',
  network: 'base',
  sourceAsset: null,
  sourceNetwork: null,
  amount: '101.50',
  countryCode: 'DE',
} as const;

const STARTED_AT = T0 + 4 * MINUTE;

const NEW = { id: INTENT_ID, operationId: '', txRefid: TX_REFID, taskId: '', provider: 'sandbox' };

/** An intent that waits for the code of a card authentication. */
export const WAITING = step(
  beginPurchase(
    session,
    {
      ...NEW,
      attempt: { ...session.terms, flow: 'on_ramp', walletAddress: WALLET },
      sourceToken: null,
      sourceNetwork: null,
      refundAddress: null,
      paymentMethod: 'card',
      countryCode: 'DE',
      quoteId: null,
    },
    STARTED_AT,
    DEFAULT_POLICY,
  ),
  {
    kind: 'requires_action',
    nextAction: { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
  },
).purchase;

const FAILURE = {
  code: 'payment_declined',
  stage: 'payment',
  message: 'The card was declined.',
  retryable: true,
} as const;

/** Possible outcomes of the intent. */
export const PROCESSING = step(WAITING, { kind: 'processing', stage: 'payment' });
export const FAILED = step(WAITING, { kind: 'failed', failure: FAILURE });
export const COMPLETED = step(
  WAITING,
  { kind: 'succeeded' },
  {
    ...QUOTE,
    txHash: '0x9f2c4be1',
    txUrl: 'https://explorer.example/tx/0x9f2c4be1',
    confirmations: { seen: 12, required: 12 },
  },
);

/** The completed transaction after a partial refund and a chargeback of a part. */
export const REFUNDED = (() => {
  const refund = { id: '68a1f2b3d9fb6f315c7e9fb2', taskId: '', amount: '20.00', reason: 'Damaged item' };
  const at = STARTED_AT + 60 * MINUTE;
  const begun = beginRefund(COMPLETED.purchase.transaction, { ...refund, decimals: 2, refundsMax: 1 }, at);
  const refunded = settleRefund(begun._unsafeUnwrap().transaction, refund.id, { kind: 'succeeded' }, at);
  return withBankActions(refunded, { disputes: [{ id: 'dp_1PgafU', amount: '10.00', status: 'open' }] }, at + MINUTE);
})();

/** An executable quote, used by the pay-in. */
export const FIXED_QUOTE = fixQuote(
  {
    id: '68a1f0c2b7e94d1f3a5c7e91',
    scope: { partnerId: session.partnerId, mode: 'test' },
    provider: 'sandbox',
    quote: { ...QUOTE, paymentMethod: 'bank_transfer' },
    request: PRICE_REQUEST,
  },
  T0,
);

const NEW_PAYMENT: NewRailPayment = {
  ...NEW,
  kind: 'pay_in',
  walletAddress: WALLET,
  refundAddress: null,
  beneficiary: null,
  userReference: session.userReference,
  metadata: session.metadata,
};

export const PAY_IN_PAYMENT = step(beginRailPayment(FIXED_QUOTE, NEW_PAYMENT, STARTED_AT, DEFAULT_POLICY), {
  kind: 'requires_action',
  nextAction: {
    type: 'bank_transfer',
    iban: 'DE02120300000000202051',
    bic: 'BYLADEM1001',
    accountHolder: 'Example Payments',
    reference: 'GATE4FQ9BTZW1KLM',
    amount: '101.50',
    currency: 'EUR',
    expiresAt: STARTED_AT + 24 * 60 * MINUTE,
  },
}).purchase.payment;

export const PAY_OUT_PAYMENT = step(
  beginRailPayment(
    {
      ...FIXED_QUOTE,
      ask: { ...PRICE_REQUEST, side: 'off_ramp' },
      source: QUOTE.destination,
      destination: QUOTE.source,
    },
    {
      ...NEW_PAYMENT,
      kind: 'pay_out',
      walletAddress: null,
      refundAddress: WALLET,
      beneficiary: redactedIban('DE89370400440532013000'),
    },
    STARTED_AT,
    DEFAULT_POLICY,
  ),
  {
    kind: 'requires_action',
    nextAction: {
      type: 'crypto_deposit',
      address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
      memo: null,
      network: 'base',
      asset: 'USDC',
      amount: '108.12',
      expiresAt: STARTED_AT + 30 * MINUTE,
    },
  },
).purchase.payment;

function step<Whole extends Purchase>(
  before: Whole,
  outcome: Outcome,
  details: SettlementDetails = NO_DETAILS,
): PurchaseStep<Whole> {
  const next = applyOutcome(before, { outcome, details }, { now: STARTED_AT + 10 * SECOND, policy: DEFAULT_POLICY });
  if (next === null) throw new Error('A step of the example purchase changes nothing.');
  return next;
}

/** The data of the step's event of this type. */
export function announced<Type extends EventType>({ announcements }: PurchaseStep, type: Type) {
  const found = announcements.find((one) => one.type === type);
  if (found === undefined) throw new Error(`The example purchase does not announce ${type}.`);
  // The data has the shape of its type, which the union type does not express.
  return found.data as JsonText<EventData[Type]>;
}
