import type { Capabilities } from '../domain/capabilities/capabilities.js';
import type { Instant } from '../domain/instant.js';
import type { DocumentMediaType, DocumentSide } from '../domain/intent/identity-document.js';
import type { Intent, PaymentMethod } from '../domain/intent/intent.js';
import type { SavedMethod } from '../domain/intent/saved-method.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Outcome, SettlementDetails } from '../domain/purchase/outcome.js';
import type { Quote } from '../domain/quote/quote.js';
import type { QuotedTerms, ResolvedTerms } from '../domain/quote/quoted-terms.js';
import type { Flow } from '../domain/session/terms.js';
import type { RefundOutcome } from '../domain/transaction/refund.js';
import type { Contracted } from './contract.js';

/**
 * A payment provider that moves money and crypto. Laws: `start` is idempotent on `operationId`; after `cancel` has returned `cancelled`, a
 * later `start` or `confirm` of the operation moves nothing; a `confirm` of an action that is no longer required changes nothing and
 * returns the current state; `lookup` never changes anything.
 * A call that throws has an unknown result: the engine looks the operation up and never sends details twice. Only confirmations without
 * data may be repeated: a `crypto_deposit`, a `redirect`, a `provider_component` and submitted documents. A repeated `redirect` or
 * `provider_component` asks for the state of the operation; until the buyer has finished there, the answer is the same action.
 * A step that returns `not_sent` did not reach the provider: `lookup` finds the operation unchanged, or not at all.
 */
export interface Provider extends Contracted {
  /** Identifies the adapter in stored rows and in `/v1/providers/{name}/callbacks`. */
  readonly name: string;
  /** Modes in which it accepts quotes and attempts; both by default. Existing operations of other modes are still completed. */
  readonly modes?: readonly Mode[];
  /** The services for this partner. Only listed markets are requested in previews and executable quotes. */
  capabilities(scope: Scope): Promise<Capabilities>;
  /**
   * Returns one quote per payment method of the flow, including unavailable ones; refuses only if no method can be priced. Laws:
   * sourceTotal = sourceSubtotal + feeTotal, feeTotal = Σ fees; a quote that breaks them counts as a provider error.
   */
  quote(request: QuoteRequest): Promise<QuoteAnswer>;
  /**
   * Whether a quote can still be used at `request.now`, and the terms it fixed. A quote for another partner, mode, flow, currency or amount
   * is not found; the engine checks the other terms of the request.
   */
  checkQuote(quoteId: string, request: QuoteRequest): Promise<QuoteCheck>;
  /**
   * Called before an attempt is created. Returns the open terms, filled in as `start` would, or why the attempt would be refused: the pair,
   * a limit, the country, the method, or an invalid address on its network. Changes nothing. `start` decides whether money may be sent to
   * an address.
   */
  resolve(request: AttemptRequest): Promise<Resolution>;
  start(order: StartOrder): Promise<StepAnswer>;
  confirm(order: ConfirmOrder): Promise<StepAnswer>;
  /**
   * Receives one image of an identity document that the provider requested (`documents` of a `kyc` action). The engine passes the bytes on
   * and stores none of them. Laws: idempotent on `operationId` and `side`, and a later image of a side replaces the earlier one; uploads do
   * not advance the operation, only the confirmation that follows does; uploads to an operation that requests no documents have no effect.
   * A call that throws or returns `not_sent` leaves the side missing, and the buyer uploads it again. Absent if the provider never requests
   * documents.
   */
  receiveDocument?(order: DocumentOrder): Promise<DocumentAnswer>;
  /** Cancels the operation, or returns its state if it is too late. */
  cancel(order: OperationOrder): Promise<ProviderAnswer>;
  /** The operation at `now`; null if the provider has never seen it. */
  lookup(order: OperationOrder): Promise<ProviderAnswer | null>;
  /**
   * Refunds a settled operation in full or in part; returns `failed` if that is not possible, and then no money moves. Laws: idempotent on
   * `refundId`, so the first call starts the refund and later calls return its state; an ended refund keeps its result; pending and
   * succeeded refunds of an operation never exceed the amount taken. A call that throws has an unknown result: the engine looks the refund
   * up. A call that returns `not_sent` did not reach the provider. Absent, with `lookupRefund`, if the provider cannot refund;
   * `capabilities` lists the payment methods that it can refund.
   */
  refund?(order: RefundOrder): Promise<RefundAnswer>;
  /** The refund at `now`; null if the provider has never seen it. Changes nothing. */
  lookupRefund?(order: RefundLookup): Promise<RefundOutcome | null>;
  /**
   * The payment methods that a customer has saved, newest first. Laws: a method is listed from the time that a payment with `saveFor` was
   * accepted until it is removed; the list, and a `start` with a saved method, only use methods of this customer. Absent, with
   * `forgetSavedMethod`, if the provider stores none; `capabilities` lists the payment methods that can be saved.
   */
  listSavedMethods?(order: CustomerOrder): Promise<readonly SavedMethod[]>;
  /**
   * Removes a saved method, which cannot be used to pay afterwards. False if the customer has no such method, whether unknown, removed or
   * another customer's.
   */
  forgetSavedMethod?(order: ForgetOrder): Promise<boolean>;
  /**
   * The transfers of its operations with this hash on chain, whose case is ignored, including those that an operation no longer shows. For
   * operators, who search by a hash. With `scopes` only theirs count: one transaction can pay many partners, and the answer may be limited.
   * Absent if the provider cannot look them up.
   */
  findTransfers?(txHash: string, scopes?: readonly Scope[] | null): Promise<readonly OperationTransfer[]>;
  /** Authenticates and parses the raw bytes. Header names are in lower case. */
  parseCallback(callback: RawCallback): Promise<CallbackReading>;
  /** Its background work in test mode, for test clocks. Absent if it has none. */
  readonly testWork?: ProviderTestWork;
}

/**
 * The background work of a provider in test mode, such as the next call of an operation. An advance of a test clock runs it when it is
 * due, in order with the work of the gate.
 */
export interface ProviderTestWork {
  /** What is due next, the first due first; only that of one partner where it is given. */
  due(query: { readonly partnerId?: string | undefined; readonly limit: number }): Promise<readonly ProviderDue[]>;
  /** Runs one item at `now`, to its end; false if it is not due then, or another worker has it. */
  run(id: string, now: Instant): Promise<boolean>;
  /**
   * Pauses the work of the partner (null: of test mode), except by `run`, and resolves once none of it is running. The returned function
   * ends the pause.
   */
  pause(partnerId: string | null): Promise<() => void>;
}

/** One item of a provider's work. */
export interface ProviderDue {
  /** The id of the operation. */
  readonly id: string;
  readonly partnerId: string;
  /** In the time of the partner's sandbox. */
  readonly dueAt: Instant;
  /** The step that is due, as the provider names it. */
  readonly what: string;
  /** The number of calls whose result was unknown. */
  readonly attempts: number;
  /** A call of it is running, in any process; `dueAt` is then when its lease ends. */
  readonly isRunning?: boolean;
}

/** A transfer on chain, and the operation that it belongs to. */
export interface OperationTransfer extends Scope {
  readonly operationId: string;
  /**
   * `deposit`: from the buyer; `deposit_return`: to the buyer, of a deposit that was not exchanged; `refund`: to the buyer, of a payment
   * that was undone; `send`: the delivery; `replaced_send`: another signed version of the delivery than the operation shows, such as one
   * with another fee; `cancelled_send`: takes the nonce of a delivery without sending anything.
   */
  readonly kind: 'deposit' | 'deposit_return' | 'refund' | 'send' | 'replaced_send' | 'cancelled_send';
}

/** A request for quotes; amounts are decimal strings in `currency`. */
export interface QuoteRequest {
  readonly scope: Scope;
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  /** Null requests all methods. */
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly now: Instant;
}

/** Quotes that are valid until `expiresAt`, or why there are none. */
export type QuoteAnswer =
  | {
      readonly kind: 'quotes';
      readonly quotes: readonly Quote[];
      readonly rateFetchedAt: Instant;
      readonly expiresAt: Instant;
    }
  | { readonly kind: 'refused'; readonly code: MarketRefusalCode; readonly message: string };

/**
 * Why nothing can be priced. `service_unavailable`: the provider serves the request as a rule, but a flow, network or asset of it cannot be
 * used at the moment, which the message names as narrowly as possible. That is an answer and not an error: it does not count against the
 * provider's error budget, and another provider is tried before the request gets 503.
 */
export type MarketRefusalCode =
  | 'corridor_not_supported'
  | 'amount_below_minimum'
  | 'amount_above_maximum'
  | 'asset_network_mismatch'
  | 'service_unavailable';

/** Why an attempt would be refused. */
export type CorridorRefusalCode = MarketRefusalCode | 'wallet_address_invalid' | 'quote_expired' | 'quote_not_found';

/** Whether a quote can still be used, and the terms it fixes. */
export type QuoteCheck =
  | { readonly kind: 'valid'; readonly fixed: QuotedTerms }
  | { readonly kind: 'refused'; readonly code: 'quote_expired' | 'quote_not_found'; readonly message: string };

/** An attempt as it would be started, with a quote's terms already filled in. */
export interface AttemptRequest extends QuoteRequest {
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
}

/** The terms as filled in by the provider, or why it would refuse the attempt. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly terms: ResolvedTerms }
  | { readonly kind: 'refused'; readonly code: CorridorRefusalCode; readonly message: string };

/** An operation, identified by the provider's idempotency key. */
export interface OperationOrder {
  readonly operationId: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** A provider that can refund. */
export type RefundingProvider = Provider & Required<Pick<Provider, 'refund' | 'lookupRefund'>>;

/** A provider that stores payment methods for buyers who consent. */
export type SavingProvider = Provider & Required<Pick<Provider, 'listSavedMethods' | 'forgetSavedMethod'>>;

/** A customer, by an opaque id that is the same for all sessions of one partner, mode and `user_reference`, and for no others. */
export interface CustomerOrder {
  readonly customer: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** A saved method to remove, by the provider's own id. */
export interface ForgetOrder extends CustomerOrder {
  readonly methodId: string;
}

/** A refund of an operation, identified by the provider's idempotency key. */
export interface RefundLookup extends OperationOrder {
  readonly refundId: string;
}

/** A refund; `currency` is the one that the buyer paid in. */
export interface RefundOrder extends RefundLookup {
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
}

/** Payment and payout details are passed through and stored nowhere. */
export interface StartOrder extends OperationOrder {
  readonly intent: Intent;
  /** Set for a pay-in or pay-out, which has no buyer at a checkout. */
  readonly rails: RailsOrder | null;
  readonly kycPreVerified: boolean;
  /** The URL to which the provider's page returns the buyer; absent or null if the engine knows no checkout page. */
  readonly returnUrl?: string | null;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

/**
 * A payment that a partner's server creates from a quote. The only actions it may require are a `bank_transfer` for a pay-in, whose account
 * and reference are part of the answer, and a `crypto_deposit` for a pay-out. Neither is ever confirmed: the provider reports the money,
 * and waits for it until the `expiresAt` of the action.
 */
export interface RailsOrder {
  /** The provider's own id of the quote. */
  readonly providerQuoteId: string;
}

/** The buyer's response to a next action. */
export interface ConfirmOrder extends OperationOrder {
  readonly intent: Intent;
  readonly confirmation: Confirmation;
}

/** One side of an identity document. Passed through and stored nowhere; only the provider keeps it. */
export interface DocumentOrder extends OperationOrder {
  readonly side: DocumentSide;
  readonly mediaType: DocumentMediaType;
  /** At most 10 MiB; the first bytes match `mediaType`. */
  readonly bytes: Uint8Array;
}

/** Whether the provider has received the image. */
export type DocumentAnswer = { readonly kind: 'received' } | NotSent;

/** The buyer's payment details. Passed through and stored nowhere. */
export type PaymentDetails = CardDetails | PaymentToken | SavedMethodDetails;

/** A token that the named provider issued to the buyer's browser in place of a card. */
export interface PaymentToken {
  readonly provider: string;
  readonly token: string;
}

/** A card, as entered by the buyer. */
export interface CardDetails {
  readonly cardNumber: string;
  /** MM/YY. */
  readonly expiry: string;
  readonly cvc: string;
  /** The customer to save the card for, who has consented; absent for a single use. */
  readonly saveFor?: string;
}

/** A payment method that the provider stores for this customer. */
export interface SavedMethodDetails {
  readonly customer: string;
  /** The provider's own id. */
  readonly savedMethod: string;
  /** Null if the buyer was not asked for it. */
  readonly cvc: string | null;
}

/** The destination of an off-ramp's payout. Passed through and stored nowhere. */
export type PayoutDetails = IbanAccount | AchAccount;

/** A bank account by IBAN, for all currencies except USD. */
export interface IbanAccount {
  readonly type: 'iban';
  readonly iban: string;
  readonly accountHolder: string;
}

/** A bank account in the United States, for USD. */
export interface AchAccount {
  readonly type: 'ach';
  /** Nine digits with a valid check digit. */
  readonly routingNumber: string;
  /** 4 to 17 digits. */
  readonly accountNumber: string;
  readonly accountHolder: string;
}

/** The buyer's response, by the type of the next action. Passed through and stored nowhere. */
export type Confirmation =
  | {
      readonly action: 'kyc';
      /** The members that the action lists under `fields` are set; others are null if the buyer was not asked. */
      readonly kyc: {
        readonly firstName: string | null;
        readonly lastName: string | null;
        readonly dateOfBirth: string | null;
        readonly documentNumber: string | null;
        /** The buyer has uploaded all requested documents; absent if none were requested. */
        readonly documents?: 'submitted';
      };
    }
  | { readonly action: 'payment_authentication'; readonly code: string }
  /** Requests another one-time code, no earlier than the action's `resendAt`. The answer repeats the action with a later `resendAt`. */
  | { readonly action: 'send_code' }
  | { readonly action: 'crypto_deposit' }
  | { readonly action: 'redirect' }
  | { readonly action: 'provider_component' };

/** The state of an operation at the provider. */
export interface ProviderAnswer {
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
  /** Delay before the next `lookup`; null if the provider will send a callback, or the state is final. */
  readonly checkAfterMs: number | null;
}

/** The result of a refund call: its current state, or that the call was not sent. */
export type RefundAnswer = RefundOutcome | NotSent;

/** The result of a step: the operation's current state, or that the call was not sent. */
export type StepAnswer = ProviderAnswer | NotSent;

/**
 * The call never left, or failed before a byte was sent: the connection was refused, the name did not resolve, or the adapter's circuit
 * breaker is open. A `start` then fails the attempt immediately and leaves the session open; after a `confirm` the buyer is asked for the
 * same action again; a `refund` fails, unless an earlier call may have arrived. Calls that may have arrived (a timeout, a reset connection)
 * must throw instead.
 */
export interface NotSent {
  readonly kind: 'not_sent';
  /** For a `start` or `refund`: whether another one may succeed. */
  readonly retryable: boolean;
  /** For the operator's log; must not contain secrets or the buyer's data. */
  readonly reason: string;
  /**
   * Of a `start`: the provider answered that a flow, network or asset cannot be used at the moment. Nothing has failed, so neither the log
   * nor the provider's error budget counts it.
   */
  readonly isUnavailable?: boolean;
}

/** A provider's callback as received, for the adapter to authenticate. */
export interface RawCallback {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: Mode;
  /** Wall-clock time, for the freshness of signatures. */
  readonly now: Instant;
  /** The time of the mode, for effects of the callback. */
  readonly modeNow: Instant;
  /** The time of a partner in the mode, for effects on its operations: its sandbox may be ahead of the mode. */
  readonly nowOf?: ((partnerId: string) => Instant) | undefined;
}

/** The adapter's result; only a `report` changes anything. */
export type CallbackReading =
  | { readonly kind: 'report'; readonly report: ProviderReport }
  /** Authentic, but not about an operation of this gate. Acknowledged, so that the provider does not repeat it. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'malformed'; readonly message: string };

/** A provider update of an operation. The event id ensures that it is applied once. */
export interface ProviderReport {
  readonly eventId: string;
  readonly operationId: string;
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
}
