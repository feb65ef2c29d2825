import type { Capabilities } from '../domain/capabilities/capabilities.js';
import type { Instant } from '../domain/instant.js';
import type { Intent, PaymentMethod } from '../domain/intent/intent.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Outcome, SettlementDetails } from '../domain/purchase/outcome.js';
import type { Quote } from '../domain/quote/quote.js';
import type { QuotedTerms, ResolvedTerms } from '../domain/quote/quoted-terms.js';
import type { Flow } from '../domain/session/terms.js';

/**
 * Rails that move money and crypto. Laws: `start` is idempotent on `operationId`; after `cancel` has
 * answered `cancelled`, a later `start` or `confirm` of that operation moves nothing; a `confirm` of what is no longer
 * asked for changes nothing and answers how it stands; `lookup` never changes anything. A call that throws has an unknown
 * result: the engine looks the operation up and never sends details twice. Only `crypto_deposit` may be confirmed again.
 */
export interface Provider {
  /** Names the adapter in stored rows and in `/v1/providers/{name}/callbacks`. */
  readonly name: string;
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
   * be taken, be it the pair, a limit, the country, the method, or an address that is none on its network. It changes nothing.
   * Whether money may go to an address is for `start` to say.
   */
  resolve(request: AttemptRequest): Promise<Resolution>;
  start(order: StartOrder): Promise<ProviderAnswer>;
  confirm(order: ConfirmOrder): Promise<ProviderAnswer>;
  /** Closes the operation, or answers with its state when it is too late for that. */
  cancel(order: OperationOrder): Promise<ProviderAnswer>;
  /** The operation as it stands at `now`; null when the provider has never seen it. */
  lookup(order: OperationOrder): Promise<ProviderAnswer | null>;
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
  | { readonly kind: 'refused'; readonly code: MarketFault; readonly message: string };

/** Why nothing can be priced. */
export type MarketFault =
  'corridor_not_supported' | 'amount_below_minimum' | 'amount_above_maximum' | 'asset_network_mismatch';

/** Why an attempt would not be taken. */
export type CorridorFault = MarketFault | 'wallet_address_invalid' | 'quote_expired' | 'quote_not_found';

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
  | { readonly kind: 'refused'; readonly code: CorridorFault; readonly message: string };

/** One operation, by the id on which the provider is idempotent. */
export interface OperationOrder {
  readonly operationId: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** Details pass through and are stored nowhere. */
export interface StartOrder extends OperationOrder {
  readonly intent: Intent;
  /** Not null for a pay-in or pay-out, which nobody sits at a checkout of. */
  readonly rails: RailsOrder | null;
  readonly kycPreVerified: boolean;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

/**
 * A payment that its partner's server makes, over a quote. All that may be asked for is money: a `bank_transfer` of a
 * pay-in, which the answer gives the account and reference of, a `crypto_deposit` of a pay-out. Nobody confirms either.
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

/** A card. It is passed on and stored nowhere. */
export interface PaymentDetails {
  readonly cardNumber: string;
  /** MM/YY. */
  readonly expiry: string;
  readonly cvc: string;
}

/** Where an off-ramp's money goes. Passed on and stored nowhere. */
export interface PayoutDetails {
  readonly type: string;
  readonly iban: string;
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
      };
    }
  | { readonly action: 'payment_authentication'; readonly code: string }
  | { readonly action: 'crypto_deposit' };

/** An operation as the provider has it. */
export interface ProviderAnswer {
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
  /** Ask again (`lookup`) after so long; null when the provider will call back, or has said its last word. */
  readonly checkAfterMs: number | null;
}

/** A provider's callback as it came, for the adapter to authenticate. */
export interface RawCallback {
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly mode: Mode;
  /** Wall time, for the freshness of signatures. */
  readonly now: Instant;
}

/** What the adapter made of it; only a `report` changes anything. */
export type CallbackReading =
  | { readonly kind: 'report'; readonly report: ProviderReport }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'malformed'; readonly message: string };

/** A provider update of an operation. The event id makes it happen once. */
export interface ProviderReport {
  readonly eventId: string;
  readonly operationId: string;
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
}
