import { err, ok, type Result } from 'neverthrow';
import {
  attemptFieldErrors,
  type GivenFields,
  isUsed,
  payoutFieldErrors,
  type PayoutType,
} from '../../domain/intent/attempt-fields.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { filledIn, takeUpQuote, type OpenTerms } from '../../domain/quote/quoted-terms.js';
import { refuse, type FieldError, type Refusal } from '../../domain/refusal.js';
import type { PaymentAttempt, Flow } from '../../domain/session/terms.js';
import type { AttemptRequest, CorridorRefusalCode, PaymentDetails, Provider } from '../../ports/provider.js';
import type { MarketCaller } from '../capabilities/retrieve-capabilities.js';
import type { Engine } from '../engine.js';
import { askProviders } from '../providers/ask-providers.js';
import { findProvider } from '../providers/route-provider.js';
import { readQuoteId } from '../quotes/price-ask.js';
import { quoteNotFound } from '../quotes/create-quote.js';
import { placeAttempt } from './place-attempt.js';

/** What the browser asks for; of details it matters here whether they were given, and to what kind of account money goes. */
export interface AttemptInput extends PaymentAttempt, OpenTerms {
  readonly refundAddress: string | null;
  readonly quoteId: string | null;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: { readonly type: PayoutType } | null;
}

/** An attempt that its provider would take: what the buyer left open is filled in, and stored with it. */
export interface CheckedAttempt {
  readonly provider: Provider;
  readonly attempt: PaymentAttempt;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly paymentMethod: PaymentMethod;
  readonly countryCode: string | null;
}

export type CheckAttemptRefusal = Refusal<'validation_failed' | 'terms_mismatch' | CorridorRefusalCode>;

/** What must be right before an attempt is made of it, so that no buyer who mistyped an address sees a failed one. */
export async function checkAttempt(
  engine: Engine,
  caller: MarketCaller,
  attempt: PaymentAttempt,
  input: AttemptInput,
): Promise<Result<CheckedAttempt, CheckAttemptRefusal>> {
  const asked = requestOf(engine, caller.scope, attempt, input);
  const quoted =
    input.quoteId === null ? ok({ provider: null, request: asked }) : await takeUp(engine, input.quoteId, asked);
  if (quoted.isErr()) return err(quoted.error);
  const { provider, request } = quoted.value;
  const given = givenFields(input);
  const errors = [
    ...attemptFieldErrors(request.flow, request.paymentMethod, given),
    ...payoutFieldErrors(request.flow, request.currency, input.payoutDetails?.type ?? null),
  ];
  if (errors.length > 0) return refuseFields(errors);
  if (request.walletAddress === null && isUsed('wallet_address', request.flow)) return missingWallet(request.flow);
  const bearer = tokenBearer(engine, input.paymentDetails);
  if (bearer === 'unknown' || (bearer !== null && provider !== null && provider !== bearer))
    return refuseFields([FOREIGN_TOKEN]);
  const taken = await placeAttempt(engine, caller, request, provider ?? bearer);
  if (taken.isErr()) return err(taken.error);
  const { paymentMethod } = taken.value.terms;
  const open = attemptFieldErrors(request.flow, paymentMethod, given);
  if (open.length > 0) return refuseFields(open);
  const { sourceToken, sourceNetwork, targetToken, targetNetwork, countryCode } = filledIn(request, taken.value.terms);
  return ok({
    provider: taken.value.provider,
    attempt: { ...attempt, targetToken, targetNetwork },
    sourceToken,
    sourceNetwork,
    paymentMethod,
    countryCode,
  });
}

function requestOf(engine: Engine, scope: Scope, attempt: PaymentAttempt, input: AttemptInput): AttemptRequest {
  return {
    scope,
    flow: attempt.flow,
    amount: attempt.amount,
    currency: attempt.currency,
    sourceToken: input.sourceToken,
    sourceNetwork: input.sourceNetwork,
    targetToken: attempt.targetToken,
    targetNetwork: attempt.targetNetwork,
    paymentMethod: input.paymentMethod,
    countryCode: input.countryCode,
    walletAddress: attempt.walletAddress,
    refundAddress: input.refundAddress,
    now: engine.clock.now(scope.mode),
  };
}

/** The provider that gave the quote, and the request with what the quote fixes. */
async function takeUp(
  engine: Engine,
  quoteId: string,
  request: AttemptRequest,
): Promise<Result<{ readonly provider: Provider; readonly request: AttemptRequest }, CheckAttemptRefusal>> {
  const quote = readQuoteId(engine, quoteId);
  if (quote === null) return quoteNotFound();
  const [checked] = await askProviders(engine, [quote.provider], {
    mode: request.scope.mode,
    question: 'attempt',
    ask: (provider) => provider.checkQuote(quote.id, request),
  });
  if (checked === undefined) return quoteNotFound();
  if (checked.kind === 'refused') return refuse(checked.code, checked.message);
  return takeUpQuote(request, checked.fixed).map((taken) => ({ provider: quote.provider, request: taken }));
}

/** The provider that gave the token: no other can read it, so no other may take the attempt. */
function tokenBearer(engine: Engine, details: PaymentDetails | null): Provider | 'unknown' | null {
  if (details === null || !('token' in details)) return null;
  return findProvider(engine, details.provider) ?? 'unknown';
}

const FOREIGN_TOKEN: FieldError = {
  field: 'payment_details.provider',
  code: 'invalid',
  message: 'payment_details.provider must be the provider that this attempt goes to',
};

/** Of the browser's own request: a session may fix a term that one of the flows it allows does not use. */
function givenFields(input: AttemptInput): GivenFields {
  return {
    source_token: input.sourceToken,
    source_network: input.sourceNetwork,
    target_token: input.targetToken,
    target_network: input.targetNetwork,
    wallet_address: input.walletAddress,
    refund_address: input.refundAddress,
    payment_details: input.paymentDetails,
    payout_details: input.payoutDetails,
  };
}

function refuseFields(fields: readonly FieldError[]) {
  return refuse('validation_failed', fields[0]?.message ?? 'The request is not valid.', fields);
}

function missingWallet(flow: Flow) {
  return refuse('wallet_address_invalid', `wallet_address is missing: ${flow} sends crypto there.`);
}
