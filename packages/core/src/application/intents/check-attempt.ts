import { err, ok, type Result } from 'neverthrow';
import { attemptFaults, isUsed, type GivenFields } from '../../domain/intent/attempt-fields.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { filledIn, takeUpQuote, type OpenTerms } from '../../domain/quote/quoted-terms.js';
import { refuse, type FieldError, type Refusal } from '../../domain/refusal.js';
import type { PaymentAttempt, Flow } from '../../domain/session/terms.js';
import type { AttemptRequest, CorridorFault, Provider } from '../../ports/provider.js';
import type { Engine } from '../engine.js';

/** What the browser asks for; of details it matters here only whether they were given. */
export interface AttemptInput extends PaymentAttempt, OpenTerms {
  readonly refundAddress: string | null;
  readonly quoteId: string | null;
  readonly paymentDetails: object | null;
  readonly payoutDetails: object | null;
}

/** An attempt that its provider would take: what the buyer left open is filled in, and stored with it. */
export interface CheckedAttempt {
  readonly attempt: PaymentAttempt;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly paymentMethod: PaymentMethod;
  readonly countryCode: string | null;
}

export type CheckAttemptRefusal = Refusal<'validation_failed' | 'terms_mismatch' | CorridorFault>;

/** What must be right before an attempt is made of it, so that no buyer who mistyped an address sees a failed one. */
export async function checkAttempt(
  engine: Engine,
  provider: Provider,
  scope: Scope,
  attempt: PaymentAttempt,
  input: AttemptInput,
): Promise<Result<CheckedAttempt, CheckAttemptRefusal>> {
  const quoted = await withQuote(provider, input.quoteId, requestOf(engine, scope, attempt, input));
  if (quoted.isErr()) return err(quoted.error);
  const request = quoted.value;
  const given = givenFields(input);
  const faults = attemptFaults(request.flow, request.paymentMethod, given);
  if (faults.length > 0) return refuseFields(faults);
  if (request.walletAddress === null && isUsed('wallet_address', request.flow)) return missingWallet(request.flow);
  const resolved = await provider.resolve(request);
  if (resolved.kind === 'refused') return refuse(resolved.code, resolved.message);
  const { paymentMethod } = resolved.terms;
  const open = attemptFaults(request.flow, paymentMethod, given);
  if (open.length > 0) return refuseFields(open);
  const { sourceToken, sourceNetwork, targetToken, targetNetwork, countryCode } = filledIn(request, resolved.terms);
  return ok({
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

async function withQuote(
  provider: Provider,
  quoteId: string | null,
  request: AttemptRequest,
): Promise<Result<AttemptRequest, CheckAttemptRefusal>> {
  if (quoteId === null) return ok(request);
  const checked = await provider.checkQuote(quoteId, request);
  return checked.kind === 'refused' ? refuse(checked.code, checked.message) : takeUpQuote(request, checked.fixed);
}

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
