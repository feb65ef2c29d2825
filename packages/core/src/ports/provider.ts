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

/**
 * Rails that move money and crypto. Laws: `start` is idempotent on `operationId`; after `cancel` has
 * answered `cancelled`, a later `start` or `confirm` of that operation moves nothing; a `confirm` of what is no longer
 * asked for changes nothing and returns the current state; `lookup` never changes anything. A call that throws has an unknown
 * result: the engine looks the operation up and never sends details twice. Only what carries no data may be confirmed again: a
 * `crypto_deposit`, a `redirect`, a `provider_component` and documents that were submitted; the second and third ask how the operation
 * stands, and while the buyer has not finished there the answer is the same action.
 * A step that answers `not_sent` did not reach the provider: `lookup` finds the operation as it was before, or not at all.
 */
export interface Provider {
  /** Names the adapter in stored rows and in `/v1/providers/{name}/callbacks`. */
  readonly name: string;
  /** The modes in which it takes quotes and attempts; by default both. What it has begun in another is carried to its end. */
  readonly modes?: readonly Mode[];
  /** What it serves this partner. Previews and executable quotes are asked of it for that and for nothing else. */
  capabilities(scope: Scope): Promise<Capabilities>;
  /**
   * One quote per payment method of the flow, unavailable ones included; refused only where no method could be priced. Laws:
   * sourceTotal = sourceSubtotal + feeTotal, feeTotal = Σ fees; a quote that breaks them is an error of the provider's.
   */
  quote(request: QuoteRequest): Promise<QuoteAnswer>;
  /**
   * Whether a quote may still be taken up at `request.now`, and what it fixed. A quote made for another partner,
   * mode, flow, currency or amount is not found; whether the rest of the request agrees with it is the engine's to say.
   */
  checkQuote(quoteId: string, request: QuoteRequest): Promise<QuoteCheck>;
  /**
   * Asked before an attempt is made: what the request leaves open, filled in as `start` would; or why the attempt would not
   * be taken, be it the pair, a limit, the country, the method, or an address that is not valid on its network. It changes nothing.
   * Whether money may go to an address is for `start` to say.
   */
  resolve(request: AttemptRequest): Promise<Resolution>;
  start(order: StartOrder): Promise<StepAnswer>;
  confirm(order: ConfirmOrder): Promise<StepAnswer>;
  /**
   * One picture of an identity document that it has asked for (`documents` of a `kyc` action). The engine passes the bytes on and keeps
   * none of them. Laws: it is idempotent on `operationId` and `side`, and a later picture of a side replaces the earlier one; no operation
   * moves on by it, only by the confirmation that follows; what it has of an operation that asks for no document stays as it is. A call
   * that throws or answers `not_sent` leaves the side missing, and the buyer sends it again. Absent where no documents are asked for.
   */
  receiveDocument?(order: DocumentOrder): Promise<DocumentAnswer>;
  /** Closes the operation, or answers with its state when it is too late for that. */
  cancel(order: OperationOrder): Promise<ProviderAnswer>;
  /** The operation at `now`; null when the provider has never seen it. */
  lookup(order: OperationOrder): Promise<ProviderAnswer | null>;
  /**
   * Gives money of a settled operation back, in whole or in part; `failed` where that cannot be, and then no money moves. Laws: it is
   * idempotent on `refundId`, so the first call begins the refund and every later one returns its state; a refund that has ended keeps
   * its end; refunds of one operation that are pending or succeeded never add up to more than was taken. A call that throws has an unknown
   * result: the engine looks the refund up. One that answers `not_sent` did not reach the provider. Absent, with
   * `lookupRefund`, where the provider cannot refund; `capabilities` says for which payment methods it can.
   */
  refund?(order: RefundOrder): Promise<RefundAnswer>;
  /** The refund at `now`; null when the provider has never seen it. It never changes anything. */
  lookupRefund?(order: RefundLookup): Promise<RefundOutcome | null>;
  /**
   * The payment methods that a customer has saved, newest first. Laws: one is listed once a payment whose details have `saveFor` has been
   * taken, and until it is forgotten; an answer holds methods of this customer alone, as does a `start` that names one. Absent, with
   * `forgetSavedMethod`, where the provider keeps none; `capabilities` says which payment methods can be saved.
   */
  listSavedMethods?(order: CustomerOrder): Promise<readonly SavedMethod[]>;
  /** False for an id that the customer does not have, be it unknown, forgotten or another customer's. Nothing pays with it afterwards. */
  forgetSavedMethod?(order: ForgetOrder): Promise<boolean>;
  /** Authenticates raw bytes and reads them. Header names are lower case. */
  parseCallback(callback: RawCallback): Promise<CallbackReading>;
}

/** What is to be priced; amounts are decimal text of `currency`. */
export interface QuoteRequest {
  readonly scope: Scope;
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  /** Null asks for all. */
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly now: Instant;
}

/** Quotes that hold until `expiresAt`, or why there are none. */
export type QuoteAnswer =
  | {
      readonly kind: 'quotes';
      readonly quotes: readonly Quote[];
      readonly rateFetchedAt: Instant;
      readonly expiresAt: Instant;
    }
  | { readonly kind: 'refused'; readonly code: MarketRefusalCode; readonly message: string };

/** Why nothing can be priced. */
export type MarketRefusalCode =
  | 'corridor_not_supported'
  | 'amount_below_minimum'
  | 'amount_above_maximum'
  | 'asset_network_mismatch';

/** Why an attempt would not be taken. */
export type CorridorRefusalCode = MarketRefusalCode | 'wallet_address_invalid' | 'quote_expired' | 'quote_not_found';

/** Whether a quote may still be taken up, and what it fixes. */
export type QuoteCheck =
  | { readonly kind: 'valid'; readonly fixed: QuotedTerms }
  | { readonly kind: 'refused'; readonly code: 'quote_expired' | 'quote_not_found'; readonly message: string };

/** An attempt as it would be started; a quote's terms are filled in already. */
export interface AttemptRequest extends QuoteRequest {
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
}

/** The terms as the provider fills them in, or why it would not take the attempt. */
export type Resolution =
  | { readonly kind: 'resolved'; readonly terms: ResolvedTerms }
  | { readonly kind: 'refused'; readonly code: CorridorRefusalCode; readonly message: string };

/** One operation, by the id on which the provider is idempotent. */
export interface OperationOrder {
  readonly operationId: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** A provider that can refund. */
export type RefundingProvider = Provider & Required<Pick<Provider, 'refund' | 'lookupRefund'>>;

/** A provider that keeps payment methods for buyers who consent. */
export type SavingProvider = Provider & Required<Pick<Provider, 'listSavedMethods' | 'forgetSavedMethod'>>;

/** One customer, by an opaque id: the same for each session of one partner, mode and `user_reference`, and for no other. */
export interface CustomerOrder {
  readonly customer: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** Which saved method is to be forgotten, by the provider's own id. */
export interface ForgetOrder extends CustomerOrder {
  readonly methodId: string;
}

/** One refund of an operation, by the id on which the provider is idempotent. */
export interface RefundLookup extends OperationOrder {
  readonly refundId: string;
}

/** What is to be refunded; `currency` is what the buyer paid in. */
export interface RefundOrder extends RefundLookup {
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
}

/** Details pass through and are stored nowhere. */
export interface StartOrder extends OperationOrder {
  readonly intent: Intent;
  /** Not null for a pay-in or pay-out, which has no buyer at a checkout. */
  readonly rails: RailsOrder | null;
  readonly kycPreVerified: boolean;
  /** Where a page that the buyer is sent to returns to; absent or null where the engine knows no checkout page. */
  readonly returnUrl?: string | null;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

/**
 * A payment that its partner's server makes, over a quote. All that may be asked for is money: a `bank_transfer` of a
 * pay-in, which the answer gives the account and reference of, a `crypto_deposit` of a pay-out. Neither is ever confirmed.
 * The provider says when the money is there, and waits for it until the `expiresAt` it has named.
 */
export interface RailsOrder {
  /** What the provider itself called the quote that fixed the price. */
  readonly providerQuoteId: string;
}

/** What the buyer has answered to a next action. */
export interface ConfirmOrder extends OperationOrder {
  readonly intent: Intent;
  readonly confirmation: Confirmation;
}

/** One side of an identity document. It passes through and is stored nowhere: the provider alone keeps it. */
export interface DocumentOrder extends OperationOrder {
  readonly side: DocumentSide;
  readonly mediaType: DocumentMediaType;
  /** At most 10 MiB, of the type that `mediaType` says by its first bytes. */
  readonly bytes: Uint8Array;
}

/** Whether the provider has the picture now. */
export type DocumentAnswer = { readonly kind: 'received' } | NotSent;

/** What is paid with. It is passed on and stored nowhere. */
export type PaymentDetails = CardDetails | PaymentToken | SavedMethodDetails;

/** What the provider of that name has given the buyer's browser in place of a card. */
export interface PaymentToken {
  readonly provider: string;
  readonly token: string;
}

/** A card, as the buyer typed it. */
export interface CardDetails {
  readonly cardNumber: string;
  /** MM/YY. */
  readonly expiry: string;
  readonly cvc: string;
  /** The customer for whom to keep the card, who has consented; absent where it is to be used this once. */
  readonly saveFor?: string;
}

/** A payment method that the provider keeps for this customer. */
export interface SavedMethodDetails {
  readonly customer: string;
  /** The provider's own id. */
  readonly savedMethod: string;
  /** Null where the buyer was not asked. */
  readonly cvc: string | null;
}

/** Where an off-ramp's money goes. Passed on and stored nowhere. */
export type PayoutDetails = IbanAccount | AchAccount;

/** A bank account by its IBAN, for every currency but USD. */
export interface IbanAccount {
  readonly type: 'iban';
  readonly iban: string;
  readonly accountHolder: string;
}

/** A bank account in the United States, for USD. */
export interface AchAccount {
  readonly type: 'ach';
  /** 9 digits with the right check digit. */
  readonly routingNumber: string;
  /** 4 to 17 digits. */
  readonly accountNumber: string;
  readonly accountHolder: string;
}

/** The buyer's answer, by the kind of next action. Passed on and stored nowhere. */
export type Confirmation =
  | {
      readonly action: 'kyc';
      /** Whatever the action named under `fields` is there; the rest is null where the buyer was not asked. */
      readonly kyc: {
        readonly firstName: string | null;
        readonly lastName: string | null;
        readonly dateOfBirth: string | null;
        readonly documentNumber: string | null;
        /** The buyer has uploaded every document that was asked for; absent where none was. */
        readonly documents?: 'submitted';
      };
    }
  | { readonly action: 'payment_authentication'; readonly code: string }
  | { readonly action: 'crypto_deposit' }
  | { readonly action: 'redirect' }
  | { readonly action: 'provider_component' };

/** An operation as the provider has it. */
export interface ProviderAnswer {
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
  /** Ask again (`lookup`) after so long; null when the provider will call back, or has said its last word. */
  readonly checkAfterMs: number | null;
}

/** What a refund answers: its current state, or that the call was not sent. */
export type RefundAnswer = RefundOutcome | NotSent;

/** What a step answers: the current state of the operation, or that the call was not sent. */
export type StepAnswer = ProviderAnswer | NotSent;

/**
 * The call never left, or was refused before a byte of it was sent: the connection was refused, the name did not resolve,
 * the adapter's own circuit breaker is open. A `start` then fails the attempt at once and leaves the session open; after a `confirm`
 * the buyer is asked for the same again; a `refund` fails, unless an earlier call of it may have arrived.
 * Whatever may have arrived (a time-out, a reset connection) must be thrown instead.
 */
export interface NotSent {
  readonly kind: 'not_sent';
  /** Of a `start` or `refund`: whether another one has a chance of success. */
  readonly retryable: boolean;
  /** For the operator's log: no secret, and nothing of the buyer's. */
  readonly reason: string;
}

/** A provider's callback as it came, for the adapter to authenticate. */
export interface RawCallback {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: Mode;
  /** Wall time, for the freshness of signatures. */
  readonly now: Instant;
  /** The time of the mode, for what the callback leads to. */
  readonly modeNow: Instant;
}

/** What the adapter made of it; only a `report` changes anything. */
export type CallbackReading =
  | { readonly kind: 'report'; readonly report: ProviderReport }
  /** Authentic, and about nothing that was started here. It is acknowledged, so that the provider does not repeat it. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'malformed'; readonly message: string };

/** A provider update of an operation. The event id makes it happen once. */
export interface ProviderReport {
  readonly eventId: string;
  readonly operationId: string;
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
}
