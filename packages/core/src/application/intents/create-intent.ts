import { err, ok, type Result } from 'neverthrow';
import type { Intent, PaymentMethod } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { beginPurchase } from '../../domain/purchase/begin-purchase.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { placeMoves } from '../../domain/quota/quota.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { Session } from '../../domain/session/session.js';
import { bindTerms, type PaymentAttempt } from '../../domain/session/terms.js';
import { leasedTask, type Task } from '../../domain/task.js';
import { emptyChange, type Change, type CounterMove } from '../../ports/change.js';
import type { CorridorRefusalCode, PaymentDetails, PayoutDetails, Provider, StartOrder } from '../../ports/provider.js';
import type { Decision } from '../commit/apply.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import { inserted, type KeyRefusal, updated } from '../commit/row-writes.js';
import { isQuotaExhausted } from '../embed/bootstrap.js';
import { type EmbedToken, sessionOfToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { answering, type Idempotent } from '../idempotency/idempotent.js';
import { answered, type KeyedResult, onePerKey } from '../idempotency/one-per-key.js';
import { intentForProvider } from '../quotes/price-ask.js';
import { holdAlarm } from '../sessions/close-session.js';
import { checkAttempt, type CheckedAttempt } from './check-attempt.js';
import { startAt } from './place-attempt.js';
import { finishStarted, INTENT_ANSWERS, runStep } from './run-step.js';

/** What the iframe asks for. Details pass through to the provider and are stored nowhere. */
export interface CreateIntent extends PaymentAttempt {
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly refundAddress: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly quoteId: string | null;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

export type CreateIntentRefusal = Refusal<
  | 'session_required'
  | 'session_not_found'
  | 'session_not_open'
  | 'intent_in_progress'
  | 'amount_mismatch'
  | 'terms_mismatch'
  | 'swap_not_enabled'
  | 'quota_exhausted'
  | 'too_many_attempts'
  | 'invalid_embed_token'
  | 'validation_failed'
  | CorridorRefusalCode
>;

/** Whose attempt it is, and where a page of the provider's returns to. */
interface Caller {
  readonly token: EmbedToken;
  readonly partner: Partner;
  readonly returnUrl: string | null;
}

/** A committed intent with the step that its maker runs at once. */
interface Begun {
  readonly intent: Intent;
  readonly task: Task;
  readonly provider: Provider;
  readonly kycPreVerified: boolean;
}

/**
 * Begins one attempt of the session: intent, transaction and the provider step are committed
 * before the provider is called, so a crash strands nothing and charges no buyer twice.
 */
export async function createIntent(
  engine: Engine,
  caller: Caller,
  input: CreateIntent,
  idempotent: Idempotent<Intent> | null,
): Promise<Result<KeyedResult<Intent>, CreateIntentRefusal | KeyRefusal | Refusal<'operation_in_progress'>>> {
  const { scope } = caller.token;
  const done = await onePerKey(engine, idempotent, async () => {
    const begun = await begin(engine, caller, input, idempotent);
    if (begun.isErr()) return err(begun.error);
    if (begun.value.kind === 'started' && idempotent !== null) {
      return finishStarted(engine, scope, begun.value, INTENT_ANSWERS, idempotent);
    }
    if (begun.value.kind !== 'fresh') return ok(begun.value);
    const { intent, task, provider } = begun.value.value;
    const order = startOrder(engine, begun.value.value, input, caller.returnUrl);
    const call = () => startAt(engine, provider, order);
    return runStep(engine, { intent, task, call, answers: INTENT_ANSWERS }, idempotent);
  });
  return done.andThen(answered);
}

function startOrder(engine: Engine, begun: Begun, input: CreateIntent, returnUrl: string | null): StartOrder {
  return {
    operationId: begun.intent.operationId,
    mode: begun.intent.mode,
    now: engine.clock.now(begun.intent.mode),
    intent: intentForProvider(engine, begun.intent),
    kycPreVerified: begun.kycPreVerified,
    rails: null,
    returnUrl,
    paymentDetails: input.paymentDetails,
    payoutDetails: input.payoutDetails,
  };
}

async function begin(
  engine: Engine,
  caller: { readonly token: EmbedToken; readonly partner: Partner },
  input: CreateIntent,
  idempotent: Idempotent<Intent> | null,
): Promise<Result<ExecuteResult<Begun>, CreateIntentRefusal | KeyRefusal>> {
  const done = await execute(
    engine,
    {
      load: () => readyToBegin(engine, caller, input),
      decide: (ready) => ok(decide(engine, ready, caller.partner, input, idempotent)),
    },
    answering(idempotent, ({ intent }: Begun) => intent),
  );
  return done.isOk() && done.value.kind === 'insufficient' ? quotaExhausted() : done;
}

function quotaExhausted() {
  return refuse(
    'quota_exhausted',
    'The monthly session quota of this partner is used up; checkout reopens next month.',
  );
}

interface Ready {
  readonly session: Session;
  readonly checked: CheckedAttempt;
}

/** Every refusal of the attempt, in the order a buyer can fix them. */
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
  if (await isQuotaExhausted(engine, partner, token.scope)) return quotaExhausted();
  const checked = await checkAttempt(engine, { partner, scope: token.scope }, bound.value, input);
  return checked.map((attempt) => ({ session, checked: attempt }));
}

function decide(
  engine: Engine,
  { session, checked: { provider, ...checked } }: Ready,
  partner: Partner,
  input: CreateIntent,
  idempotent: Idempotent<Intent> | null,
): Decision<Begun> {
  const scope = scopeOf(session);
  const now = engine.clock.now(scope.mode);
  const id = engine.ids.object(now);
  const taskId = engine.ids.object(now);
  const purchase = beginPurchase(
    session,
    {
      ...input,
      ...checked,
      id,
      taskId,
      // The same for the same attempt after a restore has lost it: the provider then answers with what it did, and sells nothing twice.
      operationId: `op_${session.id}_${session.attempts + 1}`,
      txRefid: engine.ids.transaction(now),
      provider: provider.name,
    },
    now,
    engine.policy,
  );
  const task = leasedTask(
    { id: taskId, kind: 'provider_start', ...scope, subjectId: id, dueAt: now },
    engine.ids.uuid(),
    now,
    engine.policy,
  );
  const change: Change = {
    ...emptyChange(scope, now),
    idempotency: startedKey(engine, idempotent, id, taskId, now),
    sessions: [updated(session, purchase.session)],
    intents: [inserted(purchase.intent)],
    transactions: [inserted(purchase.transaction)],
    tasks: [task, ...holdAlarm(engine, session, purchase.session, now)],
    counters: placesTaken(partner, purchase),
  };
  return { change, value: { intent: purchase.intent, task, provider, kycPreVerified: session.kyc !== null } };
}

/** A place of the quota, taken with the intent: sessions that race for the last one cannot both have it. */
function placesTaken(partner: Partner, begun: Purchase): readonly CounterMove[] {
  const quota = partner.completedSessionsQuota;
  return placeMoves(null, begun).map((move) => ({ ...move, atLeast: quota === null ? null : `-${quota}` }));
}

/** The key is taken now and its reply sealed later: a repeat meanwhile finds it in progress. */
export function startedKey<Value>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  resourceId: string,
  taskId: string,
  now: number,
): Change['idempotency'] {
  if (idempotent === null) return null;
  return {
    kind: 'claim',
    ref: idempotent.ref,
    state: { kind: 'started', resourceId, taskId },
    expiresAt: now + engine.policy.idempotencyRetention,
  };
}
