import { ok, type Result } from 'neverthrow';
import { equals } from '../money.js';
import { refuse, type Refusal } from '../refusal.js';

/** `on_ramp` buys crypto, `off_ramp` sells it, `swap` exchanges it. */
export type Flow = 'on_ramp' | 'off_ramp' | 'swap';

/** Every flow. */
export const FLOWS: readonly Flow[] = ['on_ramp', 'off_ramp', 'swap'];

/** The terms that the partner's server fixed at creation. They never change (spec: Binding of terms). */
export interface Terms {
  readonly flow: Flow | null;
  /** Exactly the text sent at creation; compared as a number. */
  readonly amount: string;
  /** Upper case. */
  readonly currency: string;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly walletAddress: string | null;
}

/** The terms that a browser requests; null for terms left to the session. */
export interface PaymentAttempt {
  readonly flow: Flow;
  readonly amount: string;
  readonly currency: string;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly walletAddress: string | null;
}

/** Tamper protection: an attempt may fill open terms, but not change fixed ones. */
export function bindTerms(
  terms: Terms,
  attempt: PaymentAttempt,
): Result<PaymentAttempt, Refusal<'amount_mismatch' | 'terms_mismatch'>> {
  if (!equals(terms.amount, attempt.amount)) {
    return refuse('amount_mismatch', `This session is for exactly ${terms.amount} ${terms.currency}.`);
  }
  const differing = BOUND_TERMS.find((name) => differs(terms, attempt, name));
  if (differing !== undefined) {
    return refuse('terms_mismatch', `The session fixes ${WIRE_NAMES[differing]}; it cannot be changed here.`);
  }
  return ok({
    flow: attempt.flow,
    amount: terms.amount,
    currency: terms.currency,
    targetToken: terms.targetToken ?? attempt.targetToken,
    targetNetwork: terms.targetNetwork ?? attempt.targetNetwork,
    walletAddress: terms.walletAddress ?? attempt.walletAddress,
  });
}

const BOUND_TERMS = ['flow', 'currency', 'targetToken', 'targetNetwork', 'walletAddress'] as const;

const WIRE_NAMES: Record<(typeof BOUND_TERMS)[number], string> = {
  flow: 'flow',
  currency: 'currency',
  targetToken: 'target_token',
  targetNetwork: 'target_network',
  walletAddress: 'wallet_address',
};

function differs(terms: Terms, attempt: PaymentAttempt, name: (typeof BOUND_TERMS)[number]): boolean {
  const fixed = terms[name];
  const requested = attempt[name];
  if (fixed === null || requested === null) return false;
  return CASE_FREE.has(name) ? fixed.toUpperCase() !== requested.toUpperCase() : fixed !== requested;
}

/** Token, network and currency codes are case-insensitive; addresses are not. */
const CASE_FREE: ReadonlySet<string> = new Set(['currency', 'targetToken', 'targetNetwork']);

/** Whether two sets of terms are identical, compared as text. */
export function sameTerms(a: Terms, b: Terms): boolean {
  return (
    a.flow === b.flow &&
    a.amount === b.amount &&
    a.currency === b.currency &&
    a.targetToken === b.targetToken &&
    a.targetNetwork === b.targetNetwork &&
    a.walletAddress === b.walletAddress
  );
}

/** Whether two codes of currencies, assets, networks or pairs are the same; the letter case does not matter. */
export function isSameCode(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
