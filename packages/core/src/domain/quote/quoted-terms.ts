import { ok, type Result } from 'neverthrow';
import type { PaymentMethod } from '../intent/intent.js';
import { refuse, type Refusal } from '../refusal.js';

/** What a request may leave to its quote or to the provider; null where it does. */
export interface OpenTerms {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
}

/** As the provider fills it in; null is a side that the flow has no crypto on. */
export interface ResolvedTerms extends Omit<OpenTerms, 'countryCode'> {
  readonly paymentMethod: PaymentMethod;
}

/** What a quote was made for; a country only if it was asked for one. */
export interface QuotedTerms extends ResolvedTerms {
  readonly countryCode: string | null;
}

/** A quote fills what the request leaves open and lets nothing be changed that it fixed (`docs/spec-notes.md`, Checkout). */
export function takeUpQuote<Asked extends OpenTerms>(
  asked: Asked,
  quoted: QuotedTerms,
): Result<Asked, Refusal<'terms_mismatch'>> {
  const differing = NAMES.find((name) => differs(asked[name], quoted[name]));
  if (differing !== undefined) {
    return refuse('terms_mismatch', `The quote fixes ${WIRE_NAMES[differing]}; omit it, or create a new quote.`);
  }
  return ok(filledIn(asked, quoted));
}

/** The request's own text where it has one: only what it leaves open is filled in. */
export function filledIn<Asked extends OpenTerms>(asked: Asked, by: Partial<OpenTerms>): Asked {
  return {
    ...asked,
    sourceToken: asked.sourceToken ?? by.sourceToken ?? null,
    sourceNetwork: asked.sourceNetwork ?? by.sourceNetwork ?? null,
    targetToken: asked.targetToken ?? by.targetToken ?? null,
    targetNetwork: asked.targetNetwork ?? by.targetNetwork ?? null,
    paymentMethod: asked.paymentMethod ?? by.paymentMethod ?? null,
    countryCode: asked.countryCode ?? by.countryCode ?? null,
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

/** Symbols are one whatever their case. */
function differs(asked: string | null, fixed: string | null): boolean {
  return asked !== null && fixed !== null && asked.toUpperCase() !== fixed.toUpperCase();
}
