import type { Instant, Mode, NextAction, PaymentMethod, ServedComponent } from '@gateramp/core/domain';
import type { Confirmation, PaymentDetails, PayoutDetails, RawCallback } from '@gateramp/core/ports';

/**
 * One call of a leg. The leg is idempotent on `callId`: the first call acts, every later one returns the state of what
 * the first one began. A call that throws has an unknown result, and is made again with the same id.
 */
export interface LegCall {
  /** Derived from the operation and the step, at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly callId: string;
  readonly mode: Mode;
  readonly now: Instant;
}

/** An amount of fiat money, as decimal text. */
export interface FiatAmount {
  readonly amount: string;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/** An amount of a token on one network, as decimal text in whole tokens. */
export interface TokenAmount {
  readonly amount: string;
  readonly asset: string;
  readonly network: string;
}

/** Why a leg did not do what it was asked. No money moved by the call, and none will. */
export interface LegFailure {
  readonly code: string;
  /** For the buyer: no secret, nothing of the leg's internals. */
  readonly message: string;
  /** Whether a new attempt may succeed. */
  readonly retryable: boolean;
}

/** The call has been accepted and its result is not known yet: ask again (`lookup`) after so long. */
export interface LegPending {
  readonly kind: 'pending';
  readonly checkAfterMs: number;
}

/** The call ended without effect. */
export interface LegFailed {
  readonly kind: 'failed';
  readonly failure: LegFailure;
}

/** Takes money from buyers and pays it out: a card processor, a bank. Laws of every call: `LegCall`. */
export interface FiatLeg {
  readonly name: string;
  /** What it takes and pays out. */
  readonly methods: readonly FiatMethod[];
  /** Components of its own that buyers pay in; none by default. */
  readonly components?: readonly FiatComponent[];
  /** Reserves money of the buyer. Payment details pass through and are stored nowhere. */
  authorize(order: AuthorizeOrder): Promise<AuthorizeResult>;
  /** The buyer's answer to a next action of `authorize`. One that is no longer asked for changes nothing. */
  confirm(order: ConfirmAuthorization): Promise<AuthorizeResult>;
  /** The authorization of this call id at `now`; null when the leg has never seen it. It changes nothing. */
  lookupAuthorization(call: LegCall): Promise<AuthorizeResult | null>;
  /** Takes the whole of an authorized amount. */
  capture(order: OnAuthorization): Promise<{ readonly kind: 'captured' } | LegPending | LegFailed>;
  /**
   * Releases an authorization, or closes one that was never seen or is still waiting for the buyer: afterwards nothing
   * can be captured of it. `captured`: too late, the money has been taken.
   */
  void(order: OnAuthorization): Promise<{ readonly kind: 'voided' | 'captured' } | LegPending>;
  /**
   * Returns captured money to the buyer. Law: while the buyer's bank has the payment, nothing more is refunded of it (`failed`), and a
   * refund that was made before is still answered.
   */
  refund(order: OnAuthorization & FiatAmount): Promise<{ readonly kind: 'refunded' } | LegPending | LegFailed>;
  /** Keeps the account that a later `payOut` goes to. It passes through here once and is stored by the leg alone. */
  registerPayee(order: RegisterPayee): Promise<{ readonly kind: 'registered' } | LegFailed>;
  /** Pays money out to a payee. */
  payOut(order: PayOutOrder): Promise<{ readonly kind: 'paid' } | LegPending | LegFailed>;
  /** Authenticates raw bytes and reads them. */
  parseCallback(callback: RawCallback): Promise<FiatCallback>;
}

/** One payment method of a fiat leg in one currency. */
export interface FiatMethod {
  readonly method: PaymentMethod;
  readonly currency: string;
  /** `in`: buyers pay with it; `out`: buyers are paid by it. */
  readonly direction: 'in' | 'out';
  readonly minAmount: string;
  readonly maxAmount: string;
  readonly feeBps: number;
  readonly feeFixed: string;
  readonly refundable: boolean;
  /** From the buyer's last action until the money is there. */
  readonly settlesWithinSeconds: number;
}

/** A component of the leg's, which is offered as one of the provider that has the leg. */
export type FiatComponent = Omit<ServedComponent, 'provider'>;

/** What is to be reserved, and how. */
export interface AuthorizeOrder extends LegCall, FiatAmount {
  readonly method: PaymentMethod;
  readonly paymentDetails: PaymentDetails | null;
  /** Where a page that the buyer is sent to returns to; null where there is no checkout page. */
  readonly returnUrl: string | null;
  /** What the buyer's statement should lead to; not a secret. */
  readonly reference: string;
}

/** What the buyer answered to a next action of an authorization. */
export interface ConfirmAuthorization extends OnAuthorization {
  readonly confirmation: Confirmation;
}

/** A call about an authorization, named by the call that made it. */
export interface OnAuthorization extends LegCall {
  readonly authorizationId: string;
}

/** The state of an authorization. `authorized` holds until `expiresAt`, or for good when it is null. */
export type AuthorizeResult =
  | { readonly kind: 'authorized'; readonly expiresAt: Instant | null }
  | { readonly kind: 'requires_action'; readonly nextAction: NextAction }
  | { readonly kind: 'voided' }
  | LegPending
  | LegFailed;

/** The account of a buyer who sells. */
export interface RegisterPayee extends LegCall {
  readonly currency: string;
  readonly account: PayoutDetails;
}

/** Money to be paid out. */
export interface PayOutOrder extends LegCall, FiatAmount {
  /** The call that registered the payee. */
  readonly payeeId: string;
}

/** What a callback of a fiat leg said: which operation to look at again, or what the buyer's bank did with a payment or a refund. */
export type FiatCallback =
  | { readonly kind: 'changed'; readonly eventId: string; readonly callId: string }
  | (DisputedAmount & { readonly kind: 'charged_back' | 'dispute_won' })
  /** A refund did not reach the buyer, perhaps after it was reported as made: its money is back. */
  | {
      readonly kind: 'refund_failed';
      readonly eventId: string;
      readonly authorizationId: string;
      /** The call that made it. */
      readonly refundId: string;
    }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'malformed'; readonly message: string };

/**
 * Money of a captured payment that the buyer's bank took back (`charged_back`), or gave back later (`dispute_won`). A dispute that was won
 * is over: what is said of it afterwards is out of date.
 */
export interface DisputedAmount {
  readonly eventId: string;
  readonly authorizationId: string;
  /** The same from the first message about a dispute to the last. */
  readonly disputeId: string;
  /** In the currency of the payment; it may be a part of it. */
  readonly amount: string;
}

/** Exchanges fiat money and tokens against each other. Laws of every call: `LegCall`. */
export interface ExchangeLeg {
  readonly name: string;
  readonly pairs: readonly ExchangePair[];
  /**
   * Why the pair cannot be priced now; null when it can. Capabilities ask, for all modes at once, so no clock of a mode goes along:
   * the age of a price counts in the time in which it was fetched.
   */
  unavailable(pair: ExchangePair): Promise<string | null>;
  /** The price of one unit of the asset, dated in the mode's time; refused while no fresh price can be trusted. */
  price(pair: ExchangePair, now: Instant): Promise<PriceResult>;
  /** Carries out the exchange at the agreed amounts, which are the buyer's quote; the leg bears what the market moved since. */
  execute(order: ExchangeOrder): Promise<{ readonly kind: 'executed' } | LegPending | LegFailed>;
}

/** A token that can be bought and sold for a currency. */
export interface ExchangePair {
  readonly asset: string;
  readonly currency: string;
}

/** A price for both directions: `bid` is what the exchange pays for the asset, `ask` what it takes. */
export type PriceResult =
  | { readonly kind: 'price'; readonly bid: string; readonly ask: string; readonly at: Instant }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What is given to the exchange and what it gives. */
export interface ExchangeOrder extends LegCall {
  readonly give: FiatAmount | TokenAmount;
  readonly take: FiatAmount | TokenAmount;
}

/** Moves tokens on one or several networks from one hot wallet each. Laws of every call: `LegCall`. */
export interface ChainLeg {
  readonly name: string;
  readonly networks: readonly ChainNetwork[];
  /**
   * Why deliveries on the network are not to be promised now (RPC silent, wallet short or paused); null when they are. With
   * an asset, problems of other assets do not count.
   */
  unavailable(network: string, asset?: string): Promise<string | null>;
  /** Why nothing may be sent to the address on its network, in words for the buyer; null when it may. */
  addressProblem(network: string, address: string): string | null;
  /** An address of which every deposit belongs to this call; the same for every repeat. */
  depositAddress(call: LegCall & { readonly network: string }): Promise<DepositAddress>;
  /** Deposits seen at the address of that call, oldest first; those that a reorganization removed are gone. */
  deposits(call: LegCall & { readonly network: string }): Promise<readonly Deposit[]>;
  /**
   * Sends tokens from the hot wallet. Law: over all calls with one id, at most one transaction ever moves them.
   * `refused`: no tokens have moved, and none will.
   */
  send(order: SendOrder): Promise<SendResult>;
  /**
   * Stops the send of this call id if that is still possible; one that was never seen is closed, so that a late `send` is refused.
   * Repeated until it is `refused` (nothing moved) or `confirmed` (too late).
   */
  cancelSend(order: SendOrder): Promise<SendResult>;
}

/** A network as the leg serves it. */
export interface ChainNetwork {
  readonly network: string;
  /** Shown to partners and buyers. */
  readonly displayName: string;
  readonly addressFormat: string;
  readonly assets: readonly ChainAsset[];
  /** The block that contains a transaction counts as 1. */
  readonly confirmations: number;
  /** `{hash}` stands for the transaction's hash; null when there is no explorer. */
  readonly txUrl: string | null;
}

/** A token of a network, or its native coin. */
export interface ChainAsset {
  readonly asset: string;
  readonly decimals: number;
  /** What one send costs the house, in the buyer's currency, by currency. Added to the quote as the network fee. */
  readonly networkFee: Readonly<Record<string, string>>;
  /** Less than this, deposited where another token was asked for, is kept: returning it would cost more than it is worth. */
  readonly minReturn?: string;
}

/** Where a buyer sends crypto. */
export interface DepositAddress {
  readonly address: string;
  readonly memo: string | null;
}

/** One transfer to a deposit address. It counts when `seen` has reached `required`. */
export interface Deposit extends TokenAmount {
  readonly hash: string;
  /** Distinguishes several transfers of one transaction. */
  readonly index: number;
  readonly at: Instant;
  readonly seen: number;
  readonly required: number;
}

/** Tokens to be sent. */
export interface SendOrder extends LegCall, TokenAmount {
  readonly to: string;
}

/** The state of a send. `confirmed` is final: a reorganization after it is an alarm of the leg's. */
export type SendResult =
  | {
      readonly kind: 'sending' | 'confirmed';
      /** Null until a transaction is signed; it may change while a replacement is under way. */
      readonly hash: string | null;
      readonly seen: number;
      readonly required: number;
      readonly checkAfterMs: number;
    }
  | { readonly kind: 'refused'; readonly failure: LegFailure };

/** Asked before money is taken, and again before tokens are sent. */
export interface ScreeningLeg {
  readonly name: string;
  /** Law: `clear` is the result of the same check. No answer, an error and an unknown answer throw. */
  screen(order: ScreeningOrder): Promise<{ readonly kind: 'clear' } | { readonly kind: 'blocked' } | LegPending>;
}

/** What is screened. Nothing of the buyer's person: that is the identity leg's. */
export interface ScreeningOrder extends LegCall, TokenAmount {
  readonly address: string;
  readonly moment: 'before_payment' | 'before_send';
}

/** Verifies who the buyer is. Laws of every call: `LegCall`. */
export interface IdentityLeg {
  readonly name: string;
  /** Begins a check, or returns its state. Law: `verified` is the result of the same check; an unknown answer throws. */
  check(order: IdentityOrder): Promise<IdentityResult>;
  /** The buyer's answer to the next action of a check. A check that has a verdict keeps it. */
  confirm(order: LegCall & { readonly confirmation: Confirmation }): Promise<IdentityResult>;
}

/** Whose identity is asked for. */
export interface IdentityOrder extends LegCall, FiatAmount {
  readonly countryCode: string | null;
}

/** The state of a check. */
export type IdentityResult =
  | { readonly kind: 'verified' }
  | { readonly kind: 'requires_action'; readonly nextAction: NextAction }
  | LegPending
  | LegFailed;
