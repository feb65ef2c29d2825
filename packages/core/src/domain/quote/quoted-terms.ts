import { ok, type Result } from 'neverthrow';
import type { PaymentMethod } from '../intent/intent.js';
import { refuse, type Refusal } from '../refusal.js';

/** Terms that a request may leave to its quote or to the provider; null if left open. */
export interface OpenTerms {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
}

/** The terms resolved by the provider; null for a side without crypto. */
export interface ResolvedTerms extends Omit<OpenTerms, 'countryCode'> {
  readonly paymentMethod: PaymentMethod;
}

/** The terms of a quote; the country is null unless it was requested. */
export interface QuotedTerms extends ResolvedTerms {
  readonly countryCode: string | null;
}

/** Fills the terms that the request leaves open, and refuses changes to terms that the quote fixes (`docs/spec-notes.md`, Checkout). */
export function applyQuote<Requested extends OpenTerms>(
  requested: Requested,
  quoted: QuotedTerms,
): Result<Requested, Refusal<'terms_mismatch'>> {
  const differing = NAMES.find((name) => differs(requested[name], quoted[name]));
  if (differing !== undefined) {
    return refuse('terms_mismatch', `The quote fixes ${WIRE_NAMES[differing]}; omit it, or create a new quote.`);
  }
  return ok(filledIn(requested, quoted));
}

/** Fills only the open terms; given terms keep their spelling. */
export function filledIn<Requested extends OpenTerms>(requested: Requested, by: Partial<OpenTerms>): Requested {
  return {
    ...requested,
    sourceToken: requested.sourceToken ?? by.sourceToken ?? null,
    sourceNetwork: requested.sourceNetwork ?? by.sourceNetwork ?? null,
    targetToken: requested.targetToken ?? by.targetToken ?? null,
    targetNetwork: requested.targetNetwork ?? by.targetNetwork ?? null,
    paymentMethod: requested.paymentMethod ?? by.paymentMethod ?? null,
    countryCode: requested.countryCode ?? by.countryCode ?? null,
  };
}

const WIRE_NAMES: Record<keyof OpenTerms, string> = {
  sourceToken: 'source_token',
  sourceNetwork: 'source_network',
  targetToken: 'target_token',
  targetNetwork: 'target_network',
  paymentMethod: 'payment_method',
  countryCode: 'country_code',
};

const NAMES = ['sourceToken', 'sourceNetwork', 'targetToken', 'targetNetwork', 'paymentMethod', 'countryCode'] as const;

/** Token and network codes are case-insensitive. */
function differs(requested: string | null, fixed: string | null): boolean {
  return requested !== null && fixed !== null && requested.toUpperCase() !== fixed.toUpperCase();
}
