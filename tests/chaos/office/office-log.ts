import type { Refused, Unanswered, Wrong } from '../audit/facts.js';

/** What a partner's back office writes down after an answer, by its kind. */
export type OfficeEntry =
  | ({ kind: 'payment' } & Payment)
  | ({ kind: 'payment_seen' } & PaymentSeen)
  | ({ kind: 'trade' } & Trade)
  | ({ kind: 'short' } & Short)
  | ({ kind: 'balances' } & BalancesRead)
  | ({ kind: 'replay' } & Replay)
  | ({ kind: 'open' } & Open)
  | ({ kind: 'again' } & Again)
  | ({ kind: 'refused' } & Refused)
  | ({ kind: 'unanswered' } & Unanswered)
  | ({ kind: 'wrong' } & Wrong)
  | ({ kind: 'gave_up' } & Wrong);

/** A pay-in or pay-out that was acknowledged; `key` is its idempotency key and its `user_reference`. */
export interface Payment {
  key: string;
  rail: string;
  payment: string;
  quote: string;
}

/** The last that was seen of a payment: its end, or its state when the time was up. */
export interface PaymentSeen {
  payment: string;
  status: string;
  refid: string;
}

/** A trade that was acknowledged. Several keys may name the same one. */
export interface Trade {
  key: string;
  trade: string;
  quote: string;
}

/** A quote that was refused for want of balance, and never tried again. */
export interface Short {
  key: string;
  quote: string;
}

/** What a pool said of itself. */
export interface BalancesRead {
  pool: string;
  balances: { currency: string; total: string; available: string; reserved: string }[];
}

/** An acknowledged replay: of one delivery, or of so many dead ones at once. */
export interface Replay {
  key: string;
  delivery: string | null;
  times: number;
}

/** Asked for and never answered, as the time was up: it may have been done, so many times at most. */
export interface Open {
  what: 'payment' | 'trade' | 'replay';
  key: string;
  quote: string | null;
  atMost: number;
}

/** A request that was sent once more after its answer. */
export interface Again {
  what: string;
  key: string;
  status: number;
  isSame: boolean;
}
