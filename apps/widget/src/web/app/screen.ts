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

/** What is fixed before the buyer does anything: by the session, or, without one, by the page that shows the widget. */
export interface Terms {
  /** Null: prices may be looked at, and nothing can be bought. */
  readonly sessionId: string | null;
  readonly amount: string;
  readonly currency: string;
  /** Null: the buyer chooses. */
  readonly flow: Flow | null;
  /** What may be chosen of. */
  readonly flows: readonly Flow[];
  /** Without a session: what prices can be asked in. */
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

/** What the buyer has put together so far. It outlives a failed attempt, but for card and account. */
export interface Draft {
  readonly flow: Flow;
  /** As typed; null: that of the terms. Where a session fixes amount and currency they cannot be chosen. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** What is sent and what is received, where the terms leave it open; null: whatever the service proposes. */
  readonly source: Asset | null;
  readonly target: Asset | null;
  /** Numbers the questions for prices, so that a late answer is known as one. */
  readonly ask: number;
  readonly isAsking: boolean;
  readonly quotes: Quotes | null;
  /** Of each payment method, as the last prices had them; an amount outside of all has no prices. */
  readonly limits: readonly Limits[];
  /** Instant on this device's clock at which `quotes` lapse. */
  readonly lapsesAt: number | null;
  /** Whether the price shown has taken the place of another one of the same thing, by itself. */
  readonly isRenewed: boolean;
  readonly refusal: Refusal | null;
  readonly method: PaymentMethod | null;
  readonly wallet: string;
  readonly refund: string;
  /** The buyer wants this device to remember the addresses. */
  readonly isRemembered: boolean;
  /** The saved card that the buyer has chosen to pay with, by its id, or another card; null: nothing was chosen. */
  readonly card: string | null;
  /** The wallet that the buyer has chosen to pay with, where its price had to be requested. */
  readonly component: OfferedComponent | null;
  /** The saved card, and the provider of a component, that the last quotes were requested for. */
  readonly pricedFor: string | null;
  readonly pricedBy: string | null;
  /** The saved cards, by their ids, and the wallets, by their tokens, that cannot pay this order. */
  readonly unpayable: readonly string[];
  /** Of an attempt before: it belongs to the service, and nothing may be sent back to it. */
  readonly deposit: string | null;
}

/** What is wrong with a field, in words that a language has a sentence for. */
export type FieldError =
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
  | 'amount_below_minimum'
  | 'amount_above_maximum'
  | 'refused';

export type FieldErrors<Field extends string> = Readonly<Partial<Record<Field, FieldError>>>;

/** Where a buyer is before the first attempt. */
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

/** A form on its way: what is in it, what is wrong with it, whether it has been sent. */
export interface Form<Field extends string> {
  readonly values: Readonly<Record<Field, string>>;
  readonly errors: FieldErrors<Field>;
  readonly isSending: boolean;
  /** Why the whole was refused. */
  readonly refusal: Refusal | null;
}

/** What a buyer can do here after a failure; null: nothing. */
export type FailureAction = 'again' | 'other_wallet' | 'other_way' | null;

export interface Opening {
  readonly at: 'opening';
  /** The session is complete: what is being read is its receipt. */
  readonly isSettled?: true;
}
/** On the way back to the step at which the page was loaded again, until there is a price again. */
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
  /** Null while it is looked up. */
  readonly address: string | null;
}
export type Names = Readonly<Partial<Record<WalletField, NameLookup>>>;
export interface Wallet {
  readonly at: 'wallet';
  readonly draft: Draft;
  /** Names typed in place of addresses, while they are looked up and until the address found is confirmed. */
  readonly names: Names;
  readonly errors: FieldErrors<WalletField>;
}
export interface Payment {
  readonly at: 'payment';
  readonly draft: Draft;
  readonly form: Form<PaymentField>;
  /** The request that creates the attempt got no response, so there may be an attempt. The session tells. */
  readonly isUnknown: boolean;
  /** The buyer has pressed a button whose price had to be requested: it is paid if that is the price shown. */
  readonly isPending: boolean;
  /** How many times in a row the session has shown no attempt since then. */
  readonly absences: number;
  /** The card was declined, and another one may pay. */
  readonly declined: FailedAttempt | null;
  /** The buyer consents to the card being saved. */
  readonly isSaving: boolean;
  /** The saved card that the buyer is asked about before it is removed. */
  readonly removing: { readonly id: string; readonly isSending: boolean } | null;
}
export interface Identity {
  readonly at: 'identity';
  readonly intent: Intent;
  /** What is asked for, and nothing else. */
  readonly fields: readonly IdentityField[];
  readonly form: Form<IdentityField>;
}
/** One picture that was chosen here. */
export interface Picture {
  readonly file: File;
  readonly status: 'sending' | 'sent' | 'failed';
  /** How much of it has been sent, from 0 to 1. */
  readonly share: number;
  readonly refusal: Refusal | null;
}
export interface Documents {
  readonly at: 'documents';
  readonly intent: Intent;
  readonly sides: readonly DocumentSide[];
  /** Those that the service had before, and that the buyer has not taken back since. */
  readonly received: readonly DocumentSide[];
  readonly pictures: Readonly<Partial<Record<DocumentSide, Picture>>>;
  /** Sending was tried, so that what is missing is shown. */
  readonly isChecked: boolean;
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
}
export interface Code {
  readonly at: 'code';
  readonly intent: Intent;
  readonly form: Form<'code'>;
}
/** Shows where the buyer sends money, and waits for it. */
export interface AwaitedMoney {
  readonly intent: Intent;
  /** Instant on this device's clock until which it is waited for. */
  readonly until: number;
  /** It has passed: nothing should be sent any more. */
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
/** On a page of the bank's or the provider's. */
export interface Visit extends AwaitedMoney {
  readonly at: 'visit';
  readonly hasSetOut: boolean;
}
/** In a component of the provider's, framed here. */
export interface Component extends AwaitedMoney {
  readonly at: 'component';
}
export interface Progress {
  readonly at: 'progress';
  readonly intent: Intent;
  readonly polls: number;
  /** The last look did not succeed. */
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
  /** What another attempt begins with; null: nothing is known of the one before. */
  readonly draft: Draft | null;
}
export interface Ended {
  readonly at: 'ended';
  readonly status: Exclude<SessionStatus, 'open'>;
  /** What has paid for it, where that could be read. */
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
