import { err, ok, type Result } from 'neverthrow';
import { HOUR, type Instant, isoTime } from '../../domain/instant.js';
import type { NextAction } from '../../domain/intent/intent.js';
import { burnAddressField } from '../../domain/intent/attempt-fields.js';
import { whyRestricted } from '../../domain/partner/restrictions.js';
import { filledIn, type ResolvedTerms } from '../../domain/quote/quoted-terms.js';
import { fillOpenAssets, fillOpenMethod } from '../../domain/quote/restrict-quotes.js';
import { type FieldError, type Refusal, refuse } from '../../domain/refusal.js';
import type {
  AttemptRequest,
  Confirmation,
  CorridorRefusalCode,
  Provider,
  StartOrder,
  StepAnswer,
} from '../../ports/provider.js';
import { type MarketCaller, takesOn } from '../capabilities/retrieve-capabilities.js';
import type { Engine } from '../engine.js';
import { callProvider } from '../providers/call-providers.js';
import { amountRefusal, findRoute, mostUsefulRefusal, priceRoute } from '../providers/route-provider.js';

/** The provider that takes the attempt, and the terms it resolved. */
interface PlacedAttempt {
  readonly provider: Provider;
  readonly terms: ResolvedTerms;
}

/**
 * Finds the provider of an attempt: the one that quoted or, without a quote, the one with the best available quote, then others that serve
 * the market. Providers that fail or are unavailable are skipped. Once placed, an attempt never changes provider.
 */
export async function placeAttempt(
  engine: Engine,
  caller: MarketCaller,
  request: AttemptRequest,
  quotedBy: Provider | null,
): Promise<Result<PlacedAttempt, Refusal<CorridorRefusalCode>>> {
  const burned = burnAddressField({ wallet_address: request.walletAddress, refund_address: request.refundAddress });
  if (burned !== null)
    return refuse('wallet_address_invalid', `${burned} is a burn address: funds sent to it cannot be recovered.`);
  const unfit = amountRefusal(request);
  if (unfit !== null) return err(unfit);
  if (quotedBy !== null && !takesOn(quotedBy, caller.scope.mode))
    return refuse('corridor_not_supported', `No provider is configured for ${caller.scope.mode} mode.`);
  const candidates = quotedBy === null ? await rank(engine, caller, request) : ok([{ provider: quotedBy, request }]);
  if (candidates.isErr()) return err(candidates.error);
  const refusals: Refused[] = [];
  let failure: { readonly error: unknown } | null = null;
  for (const candidate of candidates.value) {
    const result = await callProvider(engine, candidate.provider, {
      mode: caller.scope.mode,
      question: 'attempt',
      call: (provider) => provider.resolve(candidate.request),
    });
    if (result.kind === 'failed') {
      failure ??= { error: result.error };
      continue;
    }
    if (result.answer.kind === 'refused') {
      refusals.push(result.answer);
      continue;
    }
    const { terms } = result.answer;
    // Checked on the resolved terms: a quote may be older than the restrictions, and a provider's default may be excluded.
    const restricted = whyRestricted(caller.partner.restrictions, filledIn(candidate.request, terms));
    if (restricted === null) return ok({ provider: candidate.provider, terms });
    refusals.push(restricted);
  }
  // A provider that failed might have accepted the attempt, so this is an outage and not a refusal.
  if (failure !== null) throw failure.error;
  const refusal = mostUsefulRefusal(refusals);
  if (refusal === undefined) return refuse('corridor_not_supported', 'No provider serves this attempt.');
  return refuse(refusal.code, refusal.message);
}

type Refused = Refusal<CorridorRefusalCode>;

interface Candidate {
  readonly provider: Provider;
  readonly request: AttemptRequest;
}

/** A market with one provider needs no comparison, so no price is requested. */
async function rank(
  engine: Engine,
  caller: MarketCaller,
  request: AttemptRequest,
): Promise<Result<readonly Candidate[], Refusal<CorridorRefusalCode>>> {
  const route = await findRoute(engine, caller, request, 'corridor_not_supported');
  if (route.isErr()) return err(route.error);
  const { offerings } = route.value;
  const { restrictions } = caller.partner;
  const inOrder = offerings.map(({ provider, served }): Candidate => ({
    provider,
    request: fillOpenMethod(fillOpenAssets(request, served, restrictions), served, restrictions),
  }));
  if (offerings.length === 1) return ok(inOrder);
  const priced = await priceRoute(engine, caller, route.value);
  const best = priced.isOk() ? priced.value.find(({ quote }) => quote.available) : undefined;
  if (best === undefined) return ok(inOrder);
  const { paymentMethod } = best.quote;
  const first = inOrder
    .filter(({ provider }) => provider.name === best.provider)
    .map((candidate): Candidate => ({ ...candidate, request: { ...candidate.request, paymentMethod } }));
  return ok([...first, ...inOrder.filter(({ provider }) => provider.name !== best.provider)]);
}

/** Starts the operation. A call that throws, is not sent or answers after the request's timeout counts against the error budget. */
export async function startAt(engine: Engine, provider: Provider, order: StartOrder): Promise<StepAnswer> {
  const { clock, health, policy } = engine;
  const began = clock.wall();
  try {
    const answer = await provider.start(order);
    if (!('outcome' in answer) && answer.isUnavailable !== true) health.failed(provider.name, order.mode, 'start');
    else if (clock.wall() - began <= policy.providerAnswerTimeout) health.succeeded(provider.name, order.mode, 'start');
    return answer;
  } catch (error) {
    health.failed(provider.name, order.mode, 'start');
    throw error;
  }
}

/**
 * Errors in the answer to an identity check: a requested field that is missing, or a birth date in the future. Fields that were not
 * requested are optional.
 */
export function identityFieldErrors(
  action: NextAction | null,
  confirmation: Confirmation,
  now: Instant,
): readonly FieldError[] {
  if (action?.type !== 'kyc' || confirmation.action !== 'kyc') return [];
  const { firstName, lastName, dateOfBirth, documentNumber, documents } = confirmation.kyc;
  const given: Readonly<Record<string, string | null>> = {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: dateOfBirth,
    document_number: documentNumber,
  };
  const missing: FieldError[] = action.fields
    .filter((name) => given[name] === null)
    .map((name) => ({ field: `kyc.${name}`, code: 'required', message: `kyc.${name} is required` }));
  if (action.documents !== undefined && documents === undefined) missing.push(DOCUMENTS_REQUIRED);
  if (action.documents === undefined && documents !== undefined) missing.push(DOCUMENTS_NOT_USED);
  return dateOfBirth === null || dateOfBirth <= latestDay(now) ? missing : [...missing, BIRTH_DATE_IN_FUTURE];
}

const DOCUMENTS_REQUIRED: FieldError = {
  field: 'kyc.documents',
  code: 'required',
  message: 'kyc.documents is required: submitted, once every document is uploaded',
};

const DOCUMENTS_NOT_USED: FieldError = {
  field: 'kyc.documents',
  code: 'not_used',
  message: 'kyc.documents is not used where the intent asks for no documents; omit it',
};

const BIRTH_DATE_IN_FUTURE: FieldError = {
  field: 'kyc.date_of_birth',
  code: 'invalid',
  message: 'kyc.date_of_birth must not be in the future',
};

/** Today's date in the time zone furthest ahead (UTC+14): no birth date can be later. */
function latestDay(now: Instant): string {
  return isoTime(now + 14 * HOUR).slice(0, 'YYYY-MM-DD'.length);
}
