import type Stripe from 'stripe';

/** Payment methods of Stripe's test mode, by their outcome. Stripe's sandbox accepts the same ones. */
export const TEST_METHODS = {
  succeeds: 'pm_card_visa',
  declines: 'pm_card_visa_chargeDeclined',
  insufficientFunds: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  needsAuthentication: 'pm_card_authenticationRequired',
} as const;

/** An error response of Stripe. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: Readonly<Record<string, unknown>> & { readonly type: string },
  ) {
    super(error.type);
  }
}

const invalid = (code: string | null, message: string): Refused =>
  new Refused(400, { type: 'invalid_request_error', message, ...(code === null ? {} : { code }) });

/** The members of a PaymentIntent that the fake has, with the types of the official package. */
type Intent = { -readonly [Member in (typeof INTENT_MEMBERS)[number]]: Stripe.PaymentIntent[Member] };
const INTENT_MEMBERS = [
  'id',
  'object',
  'amount',
  'amount_capturable',
  'amount_received',
  'canceled_at',
  'capture_method',
  'client_secret',
  'confirmation_method',
  'created',
  'currency',
  'customer',
  'description',
  'last_payment_error',
  'latest_charge',
  'livemode',
  'metadata',
  'next_action',
  'payment_method',
  'payment_method_types',
  'status',
] as const satisfies readonly (keyof Stripe.PaymentIntent)[];
export type { Intent };
export type Dispute = Pick<Stripe.Dispute, 'id' | 'object' | 'amount' | 'currency' | 'payment_intent' | 'status'>;
export type Refund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'charge' | 'created' | 'currency' | 'metadata' | 'payment_intent' | 'status'
>;

/** A balance transaction, with the id of its source. */
type BalanceTransaction = Omit<Stripe.BalanceTransaction, 'source' | 'description' | 'exchange_rate'> & {
  readonly source: string | null;
};
/** What the account pays for a charge: 1.5 % and 25 cents; and for a dispute. */
const CHARGE_FEE = { share: 0.015, fixed: 25 } as const;
const DISPUTE_FEE = 1_500;
/** The age of new balance transactions, so that they count as settled at once. */
const SETTLED_SECONDS = 120;

/** One Stripe account: its PaymentIntents, refunds and events, with the rules for their changes. */
export class Books {
  readonly intents = new Map<string, Intent>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly events: Stripe.Event[] = [];
  /** Every change of the account's balance, oldest first. */
  readonly balance: BalanceTransaction[] = [];
  /** The status of new refunds; `succeeded` for cards. */
  refundStatus: 'succeeded' | 'pending' | 'failed' = 'succeeded';
  readonly #returnUrls = new Map<string, string>();
  #ids = 0;

  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${String(this.#ids).padStart(14, '0')}`;
  }

  create(params: {
    readonly amount: number;
    readonly currency: string;
    readonly capture_method?: 'manual';
    readonly customer?: string;
    readonly description?: string;
    readonly metadata?: Record<string, string>;
    readonly allowed_payment_method_types: string[];
    readonly payment_method_data?: { readonly type: string };
  }): Intent {
    if (params.amount < 50) throw invalid('amount_too_small', 'Amount must be at least 50.');
    if (params.amount > 99_999_999) throw invalid('amount_too_large', 'Amount must be no more than 99999999.');
    const id = this.id('pi');
    const hasMethod = params.payment_method_data !== undefined;
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: params.amount,
      amount_capturable: 0,
      amount_received: 0,
      canceled_at: null,
      capture_method: params.capture_method ?? 'automatic',
      client_secret: `${id}_secret_${this.id('s')}`,
      confirmation_method: 'automatic',
      created: Math.floor(Date.now() / 1_000),
      currency: params.currency,
      customer: params.customer ?? null,
      description: params.description ?? null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      metadata: params.metadata ?? {},
      next_action: null,
      payment_method: hasMethod ? this.id('pm') : null,
      payment_method_types: params.allowed_payment_method_types,
      status: hasMethod ? 'requires_confirmation' : 'requires_payment_method',
    };
    this.intents.set(id, intent);
    this.emit('payment_intent.created', intent);
    return intent;
  }

  intent(id: string): Intent {
    const found = this.intents.get(id);
    if (found === undefined) throw new Refused(404, { type: 'invalid_request_error', code: 'resource_missing' });
    return found;
  }

  /** A confirmation with the secret key, or by the buyer in the component. */
  confirm(id: string, method: string | null, returnUrl: string | null): Intent {
    const intent = this.intent(id);
    this.#expect(intent, ['requires_payment_method', 'requires_confirmation', 'requires_action']);
    intent.last_payment_error = null;
    intent.next_action = null;
    if (intent.payment_method_types.includes('customer_balance')) return this.#askForTransfer(intent);
    if (method === null) throw invalid('parameter_missing', 'A payment method is required.');
    if (intent.payment_method_types.includes('sepa_debit'))
      return this.#move(intent, 'processing', 'payment_intent.processing');
    switch (method) {
      case TEST_METHODS.succeeds:
        return this.#charge(intent);
      case TEST_METHODS.declines:
        return this.#decline(intent, 'card_declined', 'generic_decline');
      case TEST_METHODS.insufficientFunds:
        return this.#decline(intent, 'card_declined', 'insufficient_funds');
      case TEST_METHODS.needsAuthentication:
        if (returnUrl !== null) this.#returnUrls.set(id, returnUrl);
        intent.next_action =
          returnUrl === null
            ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
            : {
                type: 'redirect_to_url',
                redirect_to_url: { return_url: returnUrl, url: `https://hooks.stripe.com/3d/${id}` },
              };
        return this.#move(intent, 'requires_action', 'payment_intent.requires_action');
      default:
        throw invalid('resource_missing', 'No such PaymentMethod.');
    }
  }

  /** Completes the authentication on the issuer's page. */
  authenticate(id: string, isApproved: boolean): Intent {
    const intent = this.intent(id);
    this.#expect(intent, ['requires_action']);
    intent.next_action = null;
    if (isApproved) return this.#charge(intent);
    intent.last_payment_error = { type: 'invalid_request_error', code: 'payment_intent_authentication_failure' };
    return this.#move(intent, 'requires_payment_method', 'payment_intent.payment_failed');
  }

  /** Credits a bank transfer or a debit: the full amount, or a part of it. */
  arrive(id: string, amount = this.intent(id).amount): Intent {
    const intent = this.intent(id);
    this.#expect(intent, ['requires_action', 'processing']);
    intent.amount_received += amount;
    const missing = intent.amount - intent.amount_received;
    if (missing <= 0) {
      intent.latest_charge = this.id('py');
      intent.next_action = null;
      this.#collect(intent);
      return this.#move(intent, 'succeeded', 'payment_intent.succeeded');
    }
    const transfer = intent.next_action?.display_bank_transfer_instructions;
    if (transfer !== undefined) transfer.amount_remaining = missing;
    this.emit('payment_intent.partially_funded', intent);
    return intent;
  }

  /** Captures the authorized amount, or a part of it, as the dashboard can; the rest is released. */
  capture(id: string, amount = this.intent(id).amount): Intent {
    const intent = this.intent(id);
    this.#expect(intent, ['requires_capture']);
    intent.amount_received = amount;
    intent.amount_capturable = 0;
    this.#collect(intent);
    return this.#move(intent, 'succeeded', 'payment_intent.succeeded');
  }

  cancel(id: string): Intent {
    const intent = this.intent(id);
    this.#expect(intent, ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture']);
    intent.amount_capturable = 0;
    intent.next_action = null;
    intent.canceled_at = Math.floor(Date.now() / 1_000);
    return this.#move(intent, 'canceled', 'payment_intent.canceled');
  }

  refund(params: {
    readonly payment_intent: string;
    readonly amount: number;
    readonly metadata?: Record<string, string>;
  }): Refund {
    const intent = this.intent(params.payment_intent);
    if (this.isDisputed(intent.id)) throw invalid('charge_disputed', 'The charge is disputed.');
    const left = intent.amount_received - this.refundedOf(intent.id);
    if (intent.status !== 'succeeded') throw invalid(null, 'The PaymentIntent has no successful charge.');
    if (left === 0) throw invalid('charge_already_refunded', 'The charge has already been refunded.');
    if (params.amount > left) throw invalid(null, 'Refund amount is greater than unrefunded amount.');
    const refund: Refund = {
      id: this.id('re'),
      object: 'refund',
      amount: params.amount,
      charge: intent.latest_charge,
      created: Math.floor(Date.now() / 1_000),
      currency: intent.currency,
      metadata: params.metadata ?? {},
      payment_intent: intent.id,
      status: this.refundStatus,
    };
    this.refunds.set(refund.id, refund);
    this.book({ type: 'refund', amount: -refund.amount, currency: refund.currency, source: refund.id });
    this.emit('refund.created', refund);
    this.emit('charge.refunded', this.chargeOf(intent));
    return refund;
  }

  /** Simulates a refund that a person makes in the dashboard: it has no metadata. */
  refundByHand(id: string, amount = this.intent(id).amount): Refund {
    return this.refund({ payment_intent: id, amount });
  }

  /** Simulates the end of a refund: at the bank, or cancelled in the dashboard while it was pending. */
  endRefund(id: string, status: 'succeeded' | 'failed' | 'canceled'): Stripe.Event {
    const refund = this.refunds.get(id);
    if (refund === undefined) throw new Refused(404, { type: 'invalid_request_error', code: 'resource_missing' });
    const ended = { ...refund, status };
    this.refunds.set(id, ended);
    if (status !== 'succeeded') this.#takeBack(refund);
    return this.emit(status === 'failed' ? 'refund.failed' : 'refund.updated', ended);
  }

  isDisputed(id: string): boolean {
    return [...this.disputes.values()].some(
      ({ payment_intent: intent, status }) => intent === id && status !== 'won' && !status.startsWith('warning'),
    );
  }

  /** The charge of a PaymentIntent that was confirmed. */
  chargeOf(intent: Intent) {
    const isCaptured = intent.status === 'succeeded';
    const refunded = this.refundedOf(intent.id);
    return {
      id: typeof intent.latest_charge === 'string' ? intent.latest_charge : '',
      object: 'charge' as const,
      amount: intent.amount,
      amount_captured: isCaptured ? intent.amount_received : 0,
      amount_refunded: refunded,
      billing_details: { address: null, email: null, name: null, phone: null },
      captured: isCaptured,
      created: intent.created,
      currency: intent.currency,
      // Stays true when the dispute is won.
      disputed: [...this.disputes.values()].some(({ payment_intent: id }) => id === intent.id),
      livemode: false,
      metadata: {},
      paid: true,
      payment_intent: intent.id,
      payment_method_details: {
        type: 'card',
        card: { capture_before: intent.created + 7 * 24 * 3_600, exp_month: 12, exp_year: 2030 },
      },
      refunded: isCaptured && refunded >= intent.amount_received,
      status: 'succeeded',
    };
  }

  /** Simulates the buyer's bank: an inquiry, a chargeback, or a won dispute. */
  dispute(
    id: string,
    status: Stripe.Dispute.Status,
    {
      amount = this.intent(id).amount,
      dispute = this.id('du'),
    }: { readonly amount?: number; readonly dispute?: string } = {},
  ): Stripe.Event {
    const intent = this.intent(id);
    const made = {
      id: dispute,
      object: 'dispute' as const,
      amount,
      balance_transactions: [],
      charge: typeof intent.latest_charge === 'string' ? intent.latest_charge : '',
      created: Math.floor(Date.now() / 1_000),
      currency: intent.currency,
      evidence: {},
      evidence_details: { due_by: null, has_evidence: false, past_due: false, submission_count: 0 },
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: id,
      reason: 'fraudulent',
      status,
    };
    const before = this.disputes.get(dispute)?.status ?? 'warning_needs_response';
    this.disputes.set(dispute, made);
    const isTaken = (one: Stripe.Dispute.Status) => one !== 'won' && !one.startsWith('warning');
    const line = { type: 'adjustment', currency: intent.currency, source: dispute } as const;
    if (isTaken(status) && !isTaken(before)) this.book({ ...line, amount: -amount, fee: DISPUTE_FEE });
    if (!isTaken(status) && isTaken(before)) this.book({ ...line, amount });
    const type = status === 'won' || status === 'lost' ? 'charge.dispute.closed' : 'charge.dispute.created';
    return this.emit(type, made);
  }

  /** Simulates a refund that the buyer's bank sends back. */
  returnRefund(callId: string): Stripe.Event {
    const refund = [...this.refunds.values()].find(({ metadata }) => metadata?.['gate_call_id'] === callId);
    if (refund === undefined) throw new Refused(404, { type: 'invalid_request_error', code: 'resource_missing' });
    const failed = { ...refund, status: 'failed' as const };
    this.refunds.set(refund.id, failed);
    this.#takeBack(refund);
    return this.emit('refund.failed', failed);
  }

  /** The total of the refunds of a PaymentIntent, without failed and cancelled ones. */
  refundedOf(id: string): number {
    return [...this.refunds.values()]
      .filter(({ payment_intent: intent, status }) => intent === id && status !== 'failed' && status !== 'canceled')
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Adds a balance transaction: of a charge, a refund or a dispute, or one that no payment has caused. */
  book({
    fee = 0,
    ...given
  }: Pick<BalanceTransaction, 'type' | 'amount' | 'currency' | 'source'> & { readonly fee?: number }): void {
    const created = Math.floor(Date.now() / 1_000) - SETTLED_SECONDS;
    this.balance.push({
      id: this.id('txn'),
      object: 'balance_transaction',
      available_on: created,
      created,
      fee,
      fee_details:
        fee === 0
          ? []
          : [{ type: 'stripe_fee', amount: fee, currency: given.currency, application: null, description: null }],
      net: given.amount - fee,
      reporting_category: given.type,
      status: 'available',
      ...given,
    } as BalanceTransaction);
  }

  /** The object behind a balance transaction. */
  sourceOf({ source }: BalanceTransaction): object | string | null {
    if (source === null) return null;
    const charged = [...this.intents.values()].find((intent) => intent.latest_charge === source);
    return charged === undefined
      ? (this.refunds.get(source) ?? this.disputes.get(source) ?? source)
      : this.chargeOf(charged);
  }

  #takeBack({ id, amount, currency }: Refund): void {
    this.book({ type: 'refund_failure', amount, currency, source: id });
  }

  emit(type: string, object: object): Stripe.Event {
    const event = {
      id: this.id('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: Math.floor(Date.now() / 1_000),
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    } as unknown as Stripe.Event;
    this.events.push(event);
    return event;
  }

  #charge(intent: Intent): Intent {
    intent.latest_charge = this.id('ch');
    if (intent.capture_method === 'manual') {
      intent.amount_capturable = intent.amount;
      return this.#move(intent, 'requires_capture', 'payment_intent.amount_capturable_updated');
    }
    intent.amount_received = intent.amount;
    this.#collect(intent);
    return this.#move(intent, 'succeeded', 'payment_intent.succeeded');
  }

  #collect({ amount_received: amount, currency, latest_charge: charge }: Intent): void {
    const fee = Math.round(amount * CHARGE_FEE.share) + CHARGE_FEE.fixed;
    this.book({ type: 'charge', amount, fee, currency, source: typeof charge === 'string' ? charge : null });
  }

  #decline(intent: Intent, code: string, declineCode: string): never {
    const error = { type: 'card_error', code, decline_code: declineCode, message: 'Your card was declined.' } as const;
    intent.last_payment_error = error as Intent['last_payment_error'];
    this.#move(intent, 'requires_payment_method', 'payment_intent.payment_failed');
    throw new Refused(402, error);
  }

  #askForTransfer(intent: Intent): Intent {
    intent.next_action = {
      type: 'display_bank_transfer_instructions',
      display_bank_transfer_instructions: {
        amount_remaining: intent.amount,
        currency: intent.currency,
        financial_addresses: [
          {
            type: 'iban',
            supported_networks: ['sepa'],
            iban: {
              account_holder_name: 'Test Account',
              bic: 'SOGEDEFFXXX',
              country: 'DE',
              iban: 'DE89370400440532013000',
            },
          },
        ],
        hosted_instructions_url: null,
        reference: 'QTRCGQ3XKHTT',
        type: 'eu_bank_transfer',
      },
    } as unknown as Intent['next_action'];
    return this.#move(intent, 'requires_action', 'payment_intent.requires_action');
  }

  #move(intent: Intent, status: Intent['status'], event: string): Intent {
    intent.status = status;
    this.emit(event, intent);
    return intent;
  }

  #expect(intent: Intent, statuses: readonly Intent['status'][]): void {
    if (!statuses.includes(intent.status))
      throw invalid('payment_intent_unexpected_state', `This PaymentIntent has the status ${intent.status}.`);
  }
}
