import type { Refusal } from '../wire/refusal.js';
import type {
  DocumentSide,
  Failure,
  Flow,
  Intent,
  Limits,
  OfferedAsset,
  OfferedComponent,
  OfferedCurrency,
  PaymentMethod,
  Quotes,
  SavedMethod,
  SessionStatus,
  UnavailableDetail,
} from '../wire/types.js';

/** The terms fixed before the buyer does anything, by the session or, without one, by the embedding page. */
export interface Terms {
  /** Null without a session: prices are shown, but nothing can be bought. */
  readonly sessionId: string | null;
  readonly amount: string;
  readonly currency: string;
  /** Null lets the buyer choose. */
  readonly flow: Flow | null;
  /** The flows on offer. */
  readonly flows: readonly Flow[];
  /** The currencies that prices can be requested in, without a session. */
  readonly currencies: readonly OfferedCurrency[];
  readonly assets: readonly OfferedAsset[];
  readonly components: readonly OfferedComponent[];
  readonly savable: readonly PaymentMethod[];
  /** The buyer's saved cards, as last listed. */
  readonly saved: readonly SavedMethod[];
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly walletAddress: string | null;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
}

/** A token on one of its networks. */
export interface Asset {
  readonly token: string;
  readonly network: string;
}

/** The buyer's choices and addresses so far. They are kept after a failed attempt; card and account details are not part of them. */
export interface Draft {
  readonly flow: Flow;
  /** As typed; null uses the amount of the terms. A session fixes amount and currency. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** The assets sent and received, where the terms leave them open; null uses the service's default. */
  readonly source: Asset | null;
  readonly target: Asset | null;
  /** The number of the last quotes request, to detect late answers. */
  readonly ask: number;
  readonly isAsking: boolean;
  readonly quotes: Quotes | null;
  /** The limits of each payment method in the last quotes, kept because an amount outside all of them gets no quotes. */
  readonly limits: readonly Limits[];
  /** The instant on this device's clock at which `quotes` expire. */
  readonly lapsesAt: number | null;
  /** Whether the shown price has automatically replaced an expired one for the same order. */
  readonly isRenewed: boolean;
  readonly refusal: Refusal | null;
  readonly method: PaymentMethod | null;
  readonly wallet: string;
  readonly refund: string;
  /** Whether the buyer wants this device to remember the addresses. */
  readonly isRemembered: boolean;
  /** The id of the saved card that the buyer has chosen, or the value for a new card; null if none was chosen. */
  readonly card: string | null;
  /** The wallet that the buyer has chosen, if its price had to be requested. */
  readonly component: OfferedComponent | null;
  /** The saved card, and the provider of a component, that the last quotes were requested for. */
  readonly pricedFor: string | null;
  readonly pricedBy: string | null;
  /** The ids of saved cards and the tokens of wallets that cannot pay this order. */
  readonly unpayable: readonly string[];
  /** The last four digits of the card that the last attempt was sent with. */
  readonly lastFour: string | null;
  /** The deposit address of an earlier attempt. It belongs to the service, so it is rejected as a wallet or refund address. */
  readonly deposit: string | null;
}

/** The error of a field; every language has a text for each. */
export type PlainError =
  | 'required'
  | 'not_an_address'
  | 'wrong_checksum'
  | 'a_name'
  | 'name_not_found'
  | 'name_unconfirmed'
  | 'burn_address'
  | 'token_contract'
  | 'deposit_address'
  | 'address_refused'
  | 'not_a_card_number'
  | 'not_an_expiry'
  | 'card_expired'
  | 'card_declined'
  | 'not_a_cvc'
  | 'not_an_iban'
  | 'not_a_routing_number'
  | 'not_an_account_number'
  | 'not_a_day'
  | 'not_an_amount'
  | 'two_amounts'
  | 'amount_below_minimum'
  | 'amount_above_maximum'
  | 'refused';

/** An error may name the character or word that cannot be read, or the network that an address is for. */
export type FieldError = PlainError | `cannot_read ${string}` | `another_network ${string}`;

export type FieldErrors<Field extends string> = Readonly<Partial<Record<Field, FieldError>>>;

/** The steps before the first attempt. */
export type Step = 'order' | 'wallet' | 'payment';

export type WalletField = 'wallet' | 'refund';
export type PaymentField =
  | 'card_number'
  | 'expiry'
  | 'cvc'
  | 'iban'
  | 'routing_number'
  | 'account_number'
  | 'account_holder';
export type IdentityField = 'first_name' | 'last_name' | 'date_of_birth' | 'document_number';

/** The state of a form. */
export interface Form<Field extends string> {
  readonly values: Readonly<Record<Field, string>>;
  readonly errors: FieldErrors<Field>;
  readonly isSending: boolean;
  /** The refusal that concerns no single field. */
  readonly refusal: Refusal | null;
}

/** The action offered after a failure; null if there is none. */
export type FailureAction = 'again' | 'other_wallet' | 'other_way' | null;

export interface Opening {
  readonly at: 'opening';
  /** The session is complete, and its receipt is being read. */
  readonly isSettled?: true;
}
/** After a reload, waiting for a price before the earlier step is shown again. */
export interface Resuming {
  readonly at: 'resuming';
  readonly draft: Draft;
  readonly step: Step;
}
export interface Order {
  readonly at: 'order';
  readonly draft: Draft;
  readonly errors: FieldErrors<'amount'>;
}
export interface NameLookup {
  readonly name: string;
  /** Null while the look-up is pending. */
  readonly address: string | null;
}
export type Names = Readonly<Partial<Record<WalletField, NameLookup>>>;
export interface Wallet {
  readonly at: 'wallet';
  readonly draft: Draft;
  /** Names typed in place of addresses, until the buyer confirms the resolved address. */
  readonly names: Names;
  readonly errors: FieldErrors<WalletField>;
}
export interface Payment {
  readonly at: 'payment';
  readonly draft: Draft;
  readonly form: Form<PaymentField>;
  /** The request that creates the attempt got no response, so an attempt may exist. The session is read to find out. */
  readonly isUnknown: boolean;
  /** The buyer has pressed a button whose price had to be requested. The payment is sent if that price equals the one shown. */
  readonly isPending: boolean;
  /** The number of consecutive session reads without an attempt since `isUnknown`. */
  readonly absences: number;
  /** The last attempt, if its card was declined and another card can pay. */
  readonly declined: FailedAttempt | null;
  /** Whether the buyer consents to saving the card. */
  readonly isSaving: boolean;
  /** The saved card whose removal is to be confirmed or is being sent. */
  readonly removing: { readonly id: string; readonly isSending: boolean } | null;
}
export interface Identity {
  readonly at: 'identity';
  readonly intent: Intent;
  /** Only the requested fields. */
  readonly fields: readonly IdentityField[];
  readonly form: Form<IdentityField>;
}
/** A picture chosen in this page. */
export interface Picture {
  readonly file: File;
  readonly status: 'sending' | 'sent' | 'failed';
  /** The share that has been sent, from 0 to 1. */
  readonly share: number;
  readonly refusal: Refusal | null;
}
export interface Documents {
  readonly at: 'documents';
  readonly intent: Intent;
  readonly sides: readonly DocumentSide[];
  /** The sides that the service had already received and that the buyer has not removed since. */
  readonly received: readonly DocumentSide[];
  readonly pictures: Readonly<Partial<Record<DocumentSide, Picture>>>;
  /** The buyer has tried to send, so missing pictures are marked. */
  readonly isChecked: boolean;
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
}
export interface Code {
  readonly at: 'code';
  readonly intent: Intent;
  readonly form: Form<'code'>;
  /** Of the service's clock over this device's, in ms. */
  readonly leadMs: number;
  readonly isResending: boolean;
  /** Another code was sent, so the buyer waits for a new one. */
  readonly isResent: boolean;
}
/** A screen that waits for the buyer's money. */
export interface AwaitedMoney {
  readonly intent: Intent;
  /** The deadline, as an instant on this device's clock. */
  readonly until: number;
  /** The deadline has passed, so nothing should be sent any more. */
  readonly isLate: boolean;
  readonly polls: number;
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
}
export interface Deposit extends AwaitedMoney {
  readonly at: 'deposit';
}
export interface Transfer extends AwaitedMoney {
  readonly at: 'transfer';
}
/** The buyer pays on a page of the bank or provider. */
export interface Visit extends AwaitedMoney {
  readonly at: 'visit';
  readonly hasSetOut: boolean;
  /** The browser opened no window, so the bank's page is opened by a link. */
  readonly isBlocked: boolean;
  /** The request being sent was not asked for by the buyer, so an unchanged answer is no news. */
  readonly isUnasked: boolean;
}
/** The buyer pays in a framed component of the provider. */
export interface Component extends AwaitedMoney {
  readonly at: 'component';
}
export interface Progress {
  readonly at: 'progress';
  readonly intent: Intent;
  readonly polls: number;
  /** The last poll failed. */
  readonly isOffline: boolean;
}
export interface Success {
  readonly at: 'success';
  readonly intent: Intent;
  /** The full page is about to return to the shop by itself. */
  readonly isReturning: boolean;
}
export interface FailedAttempt {
  readonly intent: Intent;
  readonly failure: Failure;
}
export interface Failed extends FailedAttempt {
  readonly at: 'failure';
  readonly wayOn: FailureAction;
  /** The draft for another attempt; null if the earlier one is unknown. */
  readonly draft: Draft | null;
}
export interface Ended {
  readonly at: 'ended';
  readonly status: Exclude<SessionStatus, 'open'>;
  /** The intent that paid for the session, if it could be read. */
  readonly settled: Intent | null;
}
export interface Unavailable {
  readonly at: 'unavailable';
  readonly reason: string;
  readonly detail: UnavailableDetail | null;
}
export interface Broken {
  readonly at: 'broken';
  readonly refusal: Refusal;
}

export type Screen =
  | Opening
  | Resuming
  | Order
  | Wallet
  | Payment
  | Identity
  | Documents
  | Code
  | Deposit
  | Transfer
  | Visit
  | Component
  | Progress
  | Success
  | Failed
  | Ended
  | Unavailable
  | Broken;
