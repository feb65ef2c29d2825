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
import { savesMethods } from '../../domain/partner/partner.js';
import { filledIn, applyQuote, type OpenTerms } from '../../domain/quote/quoted-terms.js';
import { refuse, type FieldError, type Refusal } from '../../domain/refusal.js';
import type { PaymentAttempt, Flow } from '../../domain/session/terms.js';
import type { Session } from '../../domain/session/session.js';
import type {
  AttemptRequest,
  CardDetails,
  CorridorRefusalCode,
  PaymentDetails,
  PaymentToken,
  Provider,
  SavedMethodDetails,
} from '../../ports/provider.js';
import { type MarketCaller, readOfferings } from '../capabilities/retrieve-capabilities.js';
import {
  customerOf,
  findSavedMethod,
  type HeldMethod,
  keepsMethods,
  savedMethodNotFound,
} from '../embed/saved-methods.js';
import type { Engine } from '../engine.js';
import { callProviders } from '../providers/call-providers.js';
import { findProvider } from '../providers/route-provider.js';
import { readQuoteId } from '../quotes/find-offers.js';
import { quoteNotFound } from '../quotes/create-quote.js';
import { placeAttempt } from './place-attempt.js';

/** Payment details as the browser sends them. The customer of a saved method or of a card to be saved comes from the session. */
export type GivenPaymentDetails =
  | (Omit<CardDetails, 'saveFor'> & { readonly save?: boolean })
  | PaymentToken
  | Omit<SavedMethodDetails, 'customer'>;

/** The attempt as the browser requests it. Only the presence of payment details and the type of the payout account matter here. */
interface AttemptInput extends PaymentAttempt, OpenTerms {
  readonly refundAddress: string | null;
  readonly quoteId: string | null;
  readonly paymentDetails: GivenPaymentDetails | null;
  readonly payoutDetails: { readonly type: PayoutType } | null;
}

/** An attempt that its provider accepts, with the open terms filled in for storage. */
export interface CheckedAttempt {
  readonly provider: Provider;
  readonly attempt: PaymentAttempt;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly paymentMethod: PaymentMethod;
  readonly countryCode: string | null;
  /** Passed on to the provider only. */
  readonly paymentDetails: PaymentDetails | null;
}

type CheckAttemptRefusal = Refusal<
  'validation_failed' | 'terms_mismatch' | 'payment_method_not_found' | CorridorRefusalCode
>;

/** Checks an attempt before it is created, so that a mistyped address is refused instead of becoming a failed attempt. */
export async function checkAttempt(
  engine: Engine,
  caller: MarketCaller & { readonly session: Session },
  attempt: PaymentAttempt,
  input: AttemptInput,
): Promise<Result<CheckedAttempt, CheckAttemptRefusal>> {
  const requested = requestOf(engine, caller.scope, attempt, input);
  const quoted =
    input.quoteId === null
      ? ok({ provider: null, request: requested })
      : await withQuote(engine, input.quoteId, requested);
  if (quoted.isErr()) return err(quoted.error);
  const { provider, request } = quoted.value;
  const given = givenFields(input);
  const errors = [
    ...attemptFieldErrors(request.flow, request.paymentMethod, given),
    ...payoutFieldErrors(request.flow, request.currency, input.payoutDetails?.type ?? null),
  ];
  if (errors.length > 0) return refuseFields(errors);
  if (request.walletAddress === null && isUsed('wallet_address', request.flow)) return missingWallet(request.flow);
  const found = await paymentSourceOf(engine, caller, input.paymentDetails);
  if (found.isErr()) return err(found.error);
  const { only, held } = found.value;
  if (only !== null && provider !== null && provider !== only.provider)
    return refuseFields([wrongProvider(only.field)]);
  const taken = await placeAttempt(engine, caller, request, provider ?? only?.provider ?? null);
  if (taken.isErr()) return err(taken.error);
  const { paymentMethod } = taken.value.terms;
  const open = attemptFieldErrors(request.flow, paymentMethod, given);
  if (open.length > 0) return refuseFields(open);
  const placed = { provider: taken.value.provider, paymentMethod };
  const paymentDetails = await detailsFor(engine, caller, placed, input.paymentDetails, held);
  if (paymentDetails.isErr()) return err(paymentDetails.error);
  const { sourceToken, sourceNetwork, targetToken, targetNetwork, countryCode } = filledIn(request, taken.value.terms);
  return ok({
    ...placed,
    attempt: { ...attempt, targetToken, targetNetwork },
    sourceToken,
    sourceNetwork,
    countryCode,
    paymentDetails: paymentDetails.value,
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
    now: engine.clock.now(scope),
  };
}

/** The provider of the quote, and the request with the quote's terms filled in. */
async function withQuote(
  engine: Engine,
  quoteId: string,
  request: AttemptRequest,
): Promise<Result<{ readonly provider: Provider; readonly request: AttemptRequest }, CheckAttemptRefusal>> {
  const quote = readQuoteId(engine, quoteId);
  if (quote === null) return quoteNotFound();
  const [checked] = await callProviders(engine, [quote.provider], {
    mode: request.scope.mode,
    question: 'attempt',
    call: (provider) => provider.checkQuote(quote.id, request),
  });
  if (checked === undefined) return quoteNotFound();
  if (checked.kind === 'refused') return refuse(checked.code, checked.message);
  return applyQuote(request, checked.fixed).map((taken) => ({ provider: quote.provider, request: taken }));
}

interface PaymentSource {
  /** The only provider that can use the given payment details, and the field that names it; null if any provider can. */
  readonly only: { readonly provider: Provider; readonly field: string } | null;
  readonly held: HeldMethod | null;
}

/** The provider that issued the token or stores the saved method. */
async function paymentSourceOf(
  engine: Engine,
  caller: MarketCaller & { readonly session: Session },
  details: GivenPaymentDetails | null,
): Promise<Result<PaymentSource, Refusal<'validation_failed' | 'payment_method_not_found'>>> {
  if (details !== null && 'token' in details) {
    const provider = findProvider(engine, details.provider);
    const field = 'payment_details.provider';
    return provider === null ? refuseFields([wrongProvider(field)]) : ok({ only: { provider, field }, held: null });
  }
  if (details === null || !('savedMethod' in details)) return ok({ only: null, held: null });
  const held = await findSavedMethod(engine, caller, details.savedMethod);
  if (held === null) return savedMethodNotFound();
  return ok({ only: { provider: held.provider, field: SAVED_METHOD }, held });
}

const SAVED_METHOD = 'payment_details.saved_method';

function wrongProvider(field: string): FieldError {
  return { field, code: 'invalid', message: `${field} must be of the provider that this attempt goes to` };
}

/** The details for the provider, or a refusal of what it cannot use. */
async function detailsFor(
  engine: Engine,
  caller: MarketCaller & { readonly session: Session },
  placed: Pick<CheckedAttempt, 'provider' | 'paymentMethod'>,
  details: GivenPaymentDetails | null,
  held: HeldMethod | null,
): Promise<Result<PaymentDetails | null, Refusal<'validation_failed'>>> {
  if (details === null || 'token' in details) return ok(details);
  const customer = await customerOf(engine, caller.session, placed.provider);
  if ('savedMethod' in details) {
    if (held === null || customer === null) throw new Error('A saved method was not looked up.');
    const { id, type, requiresCvc } = held.method;
    if (type !== placed.paymentMethod) return refuseField(SAVED_METHOD, 'invalid', `is not a ${placed.paymentMethod}`);
    if (requiresCvc && details.cvc === null) return refuseField('payment_details.cvc', 'required', 'is required');
    return ok({ savedMethod: id, customer, cvc: details.cvc });
  }
  const { cardNumber, expiry, cvc, save = false } = details;
  const card: CardDetails = { cardNumber, expiry, cvc };
  if (!save) return ok(card);
  if (!savesMethods(caller.partner)) return refuseField(SAVE, 'invalid', 'is not enabled for this shop; omit it');
  if (customer === null)
    return refuseField(SAVE, 'invalid', 'needs a session with a user_reference; without one no card can be saved');
  if (await canSave(engine, caller, placed)) return ok({ ...card, saveFor: customer });
  return refuseField(SAVE, 'invalid', 'is not available for this payment method');
}

const SAVE = 'payment_details.save';

async function canSave(
  engine: Engine,
  caller: MarketCaller,
  { provider, paymentMethod }: Pick<CheckedAttempt, 'provider' | 'paymentMethod'>,
): Promise<boolean> {
  if (!keepsMethods(provider)) return false;
  const offerings = await readOfferings(engine, caller);
  const served = offerings.find((offering) => offering.provider === provider)?.served;
  return served?.savable?.includes(paymentMethod) ?? false;
}

/** The fields of the browser's own request only: a session may fix a term that one of its allowed flows does not use. */
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

function refuseField(field: string, code: string, message: string) {
  return refuseFields([{ field, code, message: `${field} ${message}` }]);
}

function missingWallet(flow: Flow) {
  return refuse('wallet_address_invalid', `wallet_address is missing: ${flow} sends crypto there.`);
}
