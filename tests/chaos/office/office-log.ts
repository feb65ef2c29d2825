import type { Refused, Unanswered, Wrong } from '../audit/facts.js';

/** Log entries of a partner's back office after a response, by kind. */
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

/** An acknowledged pay-in or pay-out; `key` is its idempotency key and its `user_reference`. */
export interface Payment {
  key: string;
  rail: string;
  payment: string;
  quote: string;
}

/** The last known state of a payment: final, or at the deadline. */
export interface PaymentSeen {
  payment: string;
  status: string;
  refid: string;
}

/** An acknowledged trade. Several keys may lead to the same one. */
export interface Trade {
  key: string;
  trade: string;
  quote: string;
}

/** A quote that was refused because the balance was too low, and not repeated. */
export interface Short {
  key: string;
  quote: string;
}

/** A read of a pool. */
export interface BalancesRead {
  pool: string;
  balances: { currency: string; total: string; available: string; reserved: string }[];
}

/** An acknowledged replay of one delivery, or of several dead ones at once. */
export interface Replay {
  key: string;
  delivery: string | null;
  times: number;
}

/** A request without a response at the deadline. It may have taken effect, at most this many times. */
export interface Open {
  what: 'payment' | 'trade' | 'replay';
  key: string;
  quote: string | null;
  atMost: number;
}

/** A request that was repeated after its response. */
export interface Again {
  what: string;
  key: string;
  status: number;
  isSame: boolean;
}
