import { err, ok, type Result } from 'neverthrow';
import { depositAddressField } from '../../domain/intent/attempt-fields.js';
import type { Intent, PaymentMethod } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { CHECKOUT_SUSPENDED, isEntitled, isSuspended, type Partner } from '../../domain/partner/partner.js';
import { beginPurchase, nextOperationId } from '../../domain/purchase/begin-purchase.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { slotMoves } from '../../domain/quota/quota.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import { bindTerms, type PaymentAttempt } from '../../domain/session/terms.js';
import { emptyChange, type Change, type CounterMove } from '../../ports/change.js';
import type {
  CorridorRefusalCode,
  PaymentDetails,
  PayoutDetails,
  Provider,
  ProviderAnswer,
  StartOrder,
} from '../../ports/provider.js';
import type { Decision } from '../commit/apply.js';
import { inserted, updated } from '../commit/row-writes.js';
import { isQuotaExhausted } from '../embed/bootstrap.js';
import { type EmbedToken, sessionOfToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import type { Keyed } from '../idempotency/keyed.js';
import { intentForProvider } from '../quotes/find-offers.js';
import { holdAlarm } from '../sessions/close-session.js';
import { checkAttempt, type CheckedAttempt, type GivenPaymentDetails } from './check-attempt.js';
import { startAt } from './place-attempt.js';
import { attemptStep, type BegunStep, executeStep, INTENT_ANSWERS, stepTask } from './run-step.js';

/** The iframe's request. Payment and payout details are passed to the provider and stored nowhere. */
export interface CreateIntent extends PaymentAttempt {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly refundAddress: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly quoteId: string | null;
  readonly paymentDetails: GivenPaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

/** Why an attempt was refused. */
export type CreateIntentRefusal = Refusal<
  | 'session_required'
  | 'session_not_found'
  | 'session_not_open'
  | 'intent_in_progress'
  | 'amount_mismatch'
  | 'terms_mismatch'
  | 'swap_not_enabled'
  | 'partner_suspended'
  | 'quota_exhausted'
  | 'too_many_attempts'
  | 'invalid_embed_token'
  | 'validation_failed'
  | 'payment_method_not_found'
  | CorridorRefusalCode
>;

/** The caller of the attempt, and the return URL for the provider's pages. */
interface Caller {
  readonly token: EmbedToken;
  readonly partner: Partner;
  readonly returnUrl: string | null;
}

/** A committed intent and the step that the creating request runs immediately. */
interface Begun extends BegunStep {
  readonly provider: Provider;
  readonly kycPreVerified: boolean;
  readonly paymentDetails: PaymentDetails | null;
}

/**
 * Begins an attempt of the session. Intent, transaction and provider step are committed before the provider is called, so that a crash
 * loses nothing and charges no buyer twice.
 */
export function createIntent(
  engine: Engine,
  caller: Caller,
  input: CreateIntent,
  idempotent: Idempotent<Intent> | null,
): Keyed<Intent, CreateIntentRefusal> {
  return executeStep<Ready, Begun, Intent, ProviderAnswer, CreateIntentRefusal['code']>(
    engine,
    caller.token.scope,
    {
      load: () => readyToBegin(engine, caller, input),
      decide: (ready) => ok(decide(engine, ready, caller.partner, input)),
      insufficient: QUOTA_EXHAUSTED,
      step: (begun) => {
        const order = startOrder(engine, begun, input, caller.returnUrl);
        return attemptStep(engine, begun, () => startAt(engine, begun.provider, order));
      },
      answers: INTENT_ANSWERS,
    },
    idempotent,
  );
}

function startOrder(
  engine: Engine,
  { purchase: { intent }, kycPreVerified, paymentDetails }: Begun,
  input: CreateIntent,
  returnUrl: string | null,
): StartOrder {
  return {
    operationId: intent.operationId,
    mode: intent.mode,
    now: engine.clock.now(intent),
    intent: intentForProvider(engine, intent),
    kycPreVerified,
    rails: null,
    returnUrl,
    paymentDetails,
    payoutDetails: input.payoutDetails,
  };
}

const QUOTA_EXHAUSTED: Refusal<'quota_exhausted'> = {
  code: 'quota_exhausted',
  message: 'The monthly session quota of this partner is used up; checkout reopens next month.',
};

interface Ready {
  readonly session: Session;
  readonly checked: CheckedAttempt;
}

/** Checks the attempt; refusals are in the order in which a buyer can fix them. */
async function readyToBegin(
  engine: Engine,
  { token, partner }: { readonly token: EmbedToken; readonly partner: Partner },
  input: CreateIntent,
): Promise<Result<Ready, CreateIntentRefusal>> {
  if (token.sessionId === null) {
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  }
  const found = await sessionOfToken(engine, token);
  if (found.isErr()) return err(found.error);
  const session = found.value;
  if (session.status !== 'open') return refuse('session_not_open', `The session is already ${session.status}.`);
  if (session.intentId !== null)
    return refuse('intent_in_progress', 'The session has an attempt in progress; finish or cancel it first.');
  if (session.attempts >= engine.policy.attemptsPerSessionMax) {
    return refuse(
      'too_many_attempts',
      `This session has used all of its ${session.attempts} attempts; create a new session to try again.`,
    );
  }
  const bound = bindTerms(session.terms, input);
  if (bound.isErr()) return err(bound.error);
  if (input.flow === 'swap' && !isEntitled(partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  if (isSuspended(partner)) return err(CHECKOUT_SUSPENDED);
  if (await isQuotaExhausted(engine, partner, token.scope)) return err(QUOTA_EXHAUSTED);
  const checked = await checkAttempt(engine, { partner, scope: token.scope, session }, bound.value, input);
  if (checked.isErr()) return err(checked.error);
  const reused = depositAddressField(session.depositAddresses ?? [], {
    wallet_address: bound.value.walletAddress,
    refund_address: input.refundAddress,
  });
  if (reused !== null)
    return refuse('wallet_address_invalid', `${reused} is this session's deposit address. Use an address you control.`);
  return ok({ session, checked: checked.value });
}

function decide(
  engine: Engine,
  { session, checked: { provider, paymentDetails, ...checked } }: Ready,
  partner: Partner,
  input: CreateIntent,
): Decision<Begun> {
  const scope = scopeOf(session);
  const now = engine.clock.now(scope);
  const id = engine.ids.object(now);
  const taskId = engine.ids.object(now);
  const purchase = beginPurchase(
    session,
    {
      ...input,
      ...checked,
      id,
      taskId,
      operationId: nextOperationId(session),
      txRefid: engine.ids.transaction(now),
      provider: provider.name,
    },
    now,
    engine.policy,
  );
  const task = stepTask(engine, { ...scope, id: taskId, kind: 'provider_start', subjectId: id }, now);
  const change: Change = {
    ...emptyChange(scope, now),
    sessions: [updated(session, purchase.session)],
    intents: [inserted(purchase.intent)],
    transactions: [inserted(purchase.transaction)],
    tasks: [task, ...holdAlarm(engine, session, purchase.session, now)],
    counters: slotsTaken(partner, purchase),
  };
  return { change, value: { purchase, task, provider, kycPreVerified: session.kyc !== null, paymentDetails } };
}

/** The quota slot, taken with the intent: of sessions that compete for the last slot only one gets it. */
function slotsTaken(partner: Partner, begun: Purchase): readonly CounterMove[] {
  const quota = partner.completedSessionsQuota;
  return slotMoves(null, begun).map((move) => ({ ...move, atLeast: quota === null ? null : `-${quota}` }));
}
