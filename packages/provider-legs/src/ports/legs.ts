import type { Instant, Mode, NextAction, PaymentMethod, ServedComponent } from '@gateramp/core/domain';
import type { Confirmation, Contracted, PaymentDetails, PayoutDetails, RawCallback } from '@gateramp/core/ports';
import type { StatementLine, StatementQuery } from './statement.js';

/**
 * One call of a leg. The leg is idempotent on `callId`: the first call acts, and every later one returns the state of that action.
 * A call that throws has an unknown result, and is made again with the same id.
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

/** Why a leg did not carry out a call. The call has moved no money, and will not move any. */
export interface LegFailure {
  readonly code: string;
  /** Shown to the buyer. Contains no secret and no internals of the leg. */
  readonly message: string;
  /** Whether a new attempt may succeed. */
  readonly retryable: boolean;
}

/** The call has been accepted and its result is not known yet: it is made again after `checkAfterMs`. */
export interface LegPending {
  readonly kind: 'pending';
  readonly checkAfterMs: number;
}

/** The call ended without effect. */
export interface LegFailed {
  readonly kind: 'failed';
  readonly failure: LegFailure;
}

/** Takes money from buyers and pays it out: a card processor, a bank. `LegCall` has the laws of every call. */
export interface FiatLeg extends Contracted {
  readonly name: string;
  /** The payment methods that it accepts and pays out with. */
  readonly methods: readonly FiatMethod[];
  /** Payment components of the leg itself; none by default. */
  readonly components?: readonly FiatComponent[];
  /** Reserves the buyer's money. Payment details pass through and are stored nowhere. */
  authorize(order: AuthorizeOrder): Promise<AuthorizeResult>;
  /** Passes on the buyer's answer to a next action of `authorize`. An answer that is no longer needed changes nothing. */
  confirm(order: ConfirmAuthorization): Promise<AuthorizeResult>;
  /** The state of the authorization of this call id at `now`; null when the leg has never seen it. Changes nothing. */
  lookupAuthorization(call: LegCall): Promise<AuthorizeResult | null>;
  /** Takes the full authorized amount. */
  capture(order: OnAuthorization): Promise<{ readonly kind: 'captured' } | LegPending | LegFailed>;
  /**
   * Releases an authorization, or closes one that was never seen or still waits for the buyer: afterwards it cannot be
   * captured. `captured`: too late, the money has been taken.
   */
  void(order: OnAuthorization): Promise<{ readonly kind: 'voided' | 'captured' } | LegPending>;
  /**
   * Returns captured money to the buyer. Law: while the payment is charged back, a new refund of it fails (`failed`), and a call for a
   * refund that was made before still returns its result.
   */
  refund(order: OnAuthorization & FiatAmount): Promise<{ readonly kind: 'refunded' } | LegPending | LegFailed>;
  /**
   * The money of a captured payment that moved without a call of ours, as the processor has it now: refunds made by hand and disputes, also
   * those whose callbacks were lost. An amount that was authorized and not captured counts as refunded. Called before tokens are sent, and
   * for payments whose callbacks say that something changed. Changes nothing.
   */
  movements(order: OnAuthorization): Promise<readonly OutsideMovement[]>;
  /** Stores the account for a later `payOut`. The account passes through here once; only the leg stores it. */
  registerPayee(order: RegisterPayee): Promise<{ readonly kind: 'registered' } | LegFailed>;
  /** Pays money out to a payee. */
  payOut(order: PayOutOrder): Promise<{ readonly kind: 'paid' } | LegPending | LegFailed>;
  /** Authenticates and parses the raw bytes of a callback. */
  parseCallback(callback: RawCallback): Promise<FiatCallback>;
  /**
   * The lines of the account's statement at the processor, oldest first, after a line or since a time. Laws: a line never changes, and no
   * new one comes before a known one. Absent for a leg without an account.
   */
  statement?(query: StatementQuery): Promise<readonly StatementLine[]>;
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
  /** The time from the buyer's last action until the money has arrived. */
  readonly settlesWithinSeconds: number;
}

/** A payment component of the leg. The provider that has the leg offers it as its own. */
export type FiatComponent = Omit<ServedComponent, 'provider'>;

/** The amount to reserve, and how. */
export interface AuthorizeOrder extends LegCall, FiatAmount {
  readonly method: PaymentMethod;
  readonly paymentDetails: PaymentDetails | null;
  /** The URL to which a page of the leg returns the buyer; null without a checkout page. */
  readonly returnUrl: string | null;
  /** Links the buyer's statement to the payment. Not a secret. */
  readonly reference: string;
}

/** The buyer's answer to a next action of an authorization. */
export interface ConfirmAuthorization extends OnAuthorization {
  readonly confirmation: Confirmation;
}

/** A call about an authorization, which is identified by the id of the call that made it. */
export interface OnAuthorization extends LegCall {
  readonly authorizationId: string;
}

/** The state of an authorization. `authorized` is valid until `expiresAt`, or indefinitely when that is null. */
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
  /** The id of the call that registered the payee. */
  readonly payeeId: string;
}

/** The content of a fiat leg's callback: a call whose state changed, or what the buyer's bank did with a payment or a refund. */
export type FiatCallback =
  | { readonly kind: 'changed'; readonly eventId: string; readonly callId: string }
  | (OutsideMovement & { readonly eventId: string; readonly authorizationId: string })
  /** A refund did not reach the buyer, possibly after it was reported as made. The leg has its money again. */
  | {
      readonly kind: 'refund_failed';
      readonly eventId: string;
      readonly authorizationId: string;
      /** The id of the call that made the refund. */
      readonly refundId: string;
    }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'malformed'; readonly message: string };

/**
 * Money of a captured payment that left it without a call of the saga (`charged_back`, `refunded_outside`), or came back later
 * (`dispute_won`, `outside_refund_failed`). Money that came back is final: later reports about the same id are out of date.
 */
export type OutsideMovement =
  | (DisputedAmount & { readonly kind: 'dispute_won' })
  /** `isLost`: the dispute has ended, and the bank keeps the money. */
  | (DisputedAmount & { readonly kind: 'charged_back'; readonly isLost?: boolean })
  | (OutsideRefund & { readonly kind: 'refunded_outside' | 'outside_refund_failed' });

/** Money that the buyer's bank took back. */
export interface DisputedAmount {
  /** The same in all reports about one dispute. */
  readonly disputeId: string;
  /** In the currency of the payment; the whole payment or a part of it. */
  readonly amount: string;
}

/** A refund that was made at the processor and not by a call, such as one made by hand in its dashboard. */
export interface OutsideRefund {
  /** The processor's id of the refund, the same in all reports about it; the call id of a refund that a call made. */
  readonly refundId: string;
  /** In the currency of the payment; the whole payment or a part of it. */
  readonly amount: string;
}

/** Exchanges fiat money and tokens. `LegCall` has the laws of every call. */
export interface ExchangeLeg extends Contracted {
  readonly name: string;
  readonly pairs: readonly ExchangePair[];
  /**
   * Why the pair cannot be priced now; null when it can. Called for capabilities, which apply to all modes, so it is not passed the
   * clock of a mode: the age of a price is measured by the clock with which it was fetched.
   */
  unavailable(pair: ExchangePair): Promise<string | null>;
  /** The price of one unit of the asset, dated by the mode's clock; `unavailable` while there is no fresh, trusted price. */
  price(pair: ExchangePair, now: Instant): Promise<PriceResult>;
  /** Executes the exchange at the amounts of the buyer's quote. The leg bears the movement of the market since then. */
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

/** The amount that the exchange receives (`give`) and the one that it returns (`take`). */
export interface ExchangeOrder extends LegCall {
  readonly give: FiatAmount | TokenAmount;
  readonly take: FiatAmount | TokenAmount;
}

/** Moves tokens on one or more networks, with one hot wallet on each. `LegCall` has the laws of every call. */
export interface ChainLeg extends Contracted {
  readonly name: string;
  readonly networks: readonly ChainNetwork[];
  /**
   * Why the asset cannot be used on the network now; null when it can. `send`: deliveries from the wallet. `deposit`: deposits of buyers,
   * which need no stock in the wallet. Problems of other assets and of the other direction do not count.
   */
  unavailable(network: string, use: ChainUse): Promise<string | null>;
  /**
   * The largest amount of the asset that `reserve` would accept now, as decimal text; null without a bound. Amounts that are reserved or
   * signed are not part of it.
   */
  deliverable(network: string, asset: string): Promise<string | null>;
  /**
   * Sets the amount of a later `send` with this call id aside, before any money is taken from the buyer. Laws: idempotent on the call id;
   * the reservations and sends of all processes together never exceed what the wallet holds or its limits allow; `send` uses the
   * reservation, and is never refused for an amount that was reserved. `refused`: nothing is set aside, and nothing will be.
   */
  reserve(order: SendOrder): Promise<{ readonly kind: 'reserved' } | LegRefused>;
  /** Gives back a reservation that no send has used, and closes the id for `reserve`. Changes nothing about a send. Idempotent. */
  release(call: LegCall & { readonly network: string }): Promise<void>;
  /** Why tokens cannot be sent to the address on the network, in words for the buyer; null when they can. */
  addressProblem(network: string, address: string): string | null;
  /** A deposit address that belongs to this call alone. A repeated call returns the same address. */
  depositAddress(call: LegCall & { readonly network: string }): Promise<DepositAddress>;
  /** The deposits to the address of this call, oldest first, without those that a reorganization removed. */
  deposits(call: LegCall & { readonly network: string }): Promise<readonly Deposit[]>;
  /**
   * Sends tokens from the hot wallet. Law: over all calls with one id, at most one transaction ever moves the tokens.
   * `refused`: no tokens have moved, and none will.
   */
  send(order: SendOrder): Promise<SendResult>;
  /** What the gas of one send of the asset costs at the moment, in the coin that pays for it; null or absent while that is not known. */
  sendCost?(network: string, asset: string): Promise<TokenAmount | null>;
  /**
   * Stops the send of this call id if that is still possible. An id that was never seen is closed, so that a late `send` is refused.
   * Repeated until the result is `refused` (nothing moved) or `confirmed` (too late).
   */
  cancelSend(order: SendOrder): Promise<SendResult>;
}

/** A direction in which an asset is used on a network. */
export interface ChainUse {
  readonly asset: string;
  readonly as: 'send' | 'deposit';
}

/** A network that the leg serves. */
export interface ChainNetwork {
  readonly network: string;
  readonly displayName: string;
  readonly addressFormat: string;
  readonly assets: readonly ChainAsset[];
  /** Required confirmations. The block that contains a transaction counts as 1. */
  readonly confirmations: number;
  /** URL template of a block explorer, with `{hash}` for the transaction's hash; null without an explorer. */
  readonly txUrl: string | null;
}

/** A token on a network, or the network's native coin. */
export interface ChainAsset {
  readonly asset: string;
  readonly decimals: number;
  /** The cost of one send for the house, by fiat currency. Added to the quote as the network fee. */
  readonly networkFee: Readonly<Record<string, string>>;
  /** A smaller deposit of this token where another one was expected is kept. By default, what is worth less than the cost of a send is. */
  readonly minReturn?: string;
}

/** The address to which a buyer sends crypto. */
export interface DepositAddress {
  readonly address: string;
  readonly memo: string | null;
}

/** One transfer to a deposit address. It is confirmed when `seen` has reached `required`. */
export interface Deposit extends TokenAmount {
  readonly hash: string;
  /** Distinguishes the transfers of one transaction. */
  readonly index: number;
  /** Found by the balance of the address: `hash` identifies the deposit, but is no transaction. */
  readonly isMeasured?: boolean;
  readonly at: Instant;
  readonly seen: number;
  readonly required: number;
}

/** A transfer from the hot wallet. */
export interface SendOrder extends LegCall, TokenAmount {
  readonly to: string;
  /** When the operation began. After a restore, only an older operation can be what an unknown transaction of the wallet paid for. */
  readonly since?: Instant;
}

/** The state of a send. `confirmed` is final: the leg raises an alarm for a reorganization after it. */
export type SendResult =
  | {
      readonly kind: 'sending' | 'confirmed';
      /** Null until a transaction is signed; it may change while a replacement is under way. */
      readonly hash: string | null;
      readonly seen: number;
      readonly required: number;
      readonly checkAfterMs: number;
      /** Why only an operator can end this send, such as a transfer that arrived in part; absent when it ends by itself. */
      readonly problem?: string;
    }
  | LegRefused;

/** The leg did not carry out the call, and will not: nothing has moved. */
export interface LegRefused {
  readonly kind: 'refused';
  readonly failure: LegFailure;
}

/** Screens wallet addresses, before money is taken and again before tokens are sent. */
export interface ScreeningLeg extends Contracted {
  readonly name: string;
  /** Law: `clear` is only ever the result of this check. A missing, failed or unknown response throws. */
  screen(order: ScreeningOrder): Promise<{ readonly kind: 'clear' } | { readonly kind: 'blocked' } | LegPending>;
}

/** The transfer to screen. Contains no personal data of the buyer: only the identity leg receives that. */
export interface ScreeningOrder extends LegCall, TokenAmount {
  readonly address: string;
  readonly moment: 'before_payment' | 'before_send';
}

/** Verifies the buyer's identity. `LegCall` has the laws of every call. */
export interface IdentityLeg extends Contracted {
  readonly name: string;
  /** Starts a check, or returns its state. Law: `verified` is only ever the result of this check. An unknown response throws. */
  check(order: IdentityOrder): Promise<IdentityResult>;
  /** Passes on the buyer's answer to the next action of a check. A verdict never changes. */
  confirm(order: LegCall & { readonly confirmation: Confirmation }): Promise<IdentityResult>;
}

/** The purchase for which the buyer's identity is verified. */
export interface IdentityOrder extends LegCall, FiatAmount {
  readonly countryCode: string | null;
}

/** The state of an identity check. */
export type IdentityResult =
  | { readonly kind: 'verified' }
  | { readonly kind: 'requires_action'; readonly nextAction: NextAction }
  | LegPending
  | LegFailed;
