import { err, ok, type Result } from 'neverthrow';
import {
  type ConfirmableAction,
  type Flow,
  type Intent,
  type Partner,
  type Refusal,
  type Session,
  refuse,
  scopeOf,
  allowsMethod,
  isLive,
} from '@gateramp/core/domain';
import { type Engine, operationInProgress } from '@gateramp/core/extension';
import type { OperationOrder, Provider } from '@gateramp/core/ports';
import {
  type CancelSessionRefusal,
  type ConfirmIntentRefusal,
  type CreateIntentRefusal,
  type EmbedToken,
  cancelSession,
  commitOutcome,
  confirmIntent,
  createIntent,
  findProvider,
  loadSession,
  sessionNotFound,
  updateOf,
} from '@gateramp/core/purchases';
import {
  BANK_ACTIONS,
  type BankAction,
  type SandboxControl,
  type SandboxDetails,
  type SandboxPlan,
  type Scenario,
} from './control.js';

type SimulateRefusal =
  | CreateIntentRefusal
  | ConfirmIntentRefusal
  | CancelSessionRefusal
  | Refusal<'operation_in_progress' | 'idempotency_key_mismatch' | 'validation_failed'>;

/** The engine, and the control of its sandbox provider; null without one. */
export interface Simulator {
  readonly engine: Engine;
  readonly control: SandboxControl | null;
}

/** A scenario, and the amount of a chargeback; null for all that is left. */
export interface Simulation {
  readonly scenario: Scenario;
  readonly amount: string | null;
}

/**
 * Simulates a scenario: drives the session's intent, created if there is none, to the end of the scenario. An action of the buyer's bank
 * needs a payment, so an open session is paid first.
 */
export async function simulate(
  simulator: Simulator,
  partner: Partner,
  sessionId: string,
  { scenario, amount }: Simulation,
): Promise<Result<Intent, SimulateRefusal>> {
  if (!isBankAction(scenario)) return runCheckout(simulator, partner, sessionId, scenario);
  const { engine } = simulator;
  const scope = { partnerId: partner.id, mode: 'test' as const };
  const before = await loadSession(engine, scope, sessionId);
  if (before === null) return sessionNotFound();
  const paid = before.txRefid === null ? await runCheckout(simulator, partner, sessionId, 'succeed') : null;
  if (paid?.isErr()) return err(paid.error);
  const session = (await loadSession(engine, scope, sessionId)) ?? before;
  const stage = await stageFor(simulator, partner, session);
  if (stage === null) return unservedSession();
  const { txRefid } = session;
  const transaction = txRefid === null ? null : await engine.store.find('transaction', scope, txRefid);
  const intent = transaction === null ? null : await engine.store.find('intent', scope, transaction.intentId);
  if (intent === null) return notPossible('This session has no payment that has settled.');
  return actAsBank(engine, stage, intent, scenario, amount);
}

function isBankAction(scenario: Scenario): scenario is BankAction {
  return BANK_ACTIONS.some((action) => action === scenario);
}

async function actAsBank(
  engine: Engine,
  stage: Stage,
  intent: Intent,
  action: BankAction,
  amount: string | null,
): Promise<Result<Intent, SimulateRefusal>> {
  const { control } = stage;
  if (control.bank === undefined || intent.provider !== control.provider) return unservedSession();
  const problem = await control.bank(intent.operationId, action, amount, orderOf(engine, intent).now);
  return problem === null ? ok(await lookUp(engine, stage, intent)) : notPossible(problem);
}

function notPossible(message: string) {
  return refuse('validation_failed', message, [{ field: 'scenario', code: 'invalid_value', message }]);
}

function unservedSession() {
  return refuse('corridor_not_supported', 'No sandbox provider serves this session.');
}

async function runCheckout(
  simulator: Simulator,
  partner: Partner,
  sessionId: string,
  scenario: CheckoutScenario,
): Promise<Result<Intent, SimulateRefusal>> {
  const { engine } = simulator;
  const scope = { partnerId: partner.id, mode: 'test' as const };
  const session = await loadSession(engine, scope, sessionId);
  if (session === null) return sessionNotFound();
  const stage = await stageFor(simulator, partner, session);
  if (stage === null) return unservedSession();
  const begun = await intentOf(engine, stage, session, scenario);
  if (begun.isErr()) return err(begun.error);
  return runScenario(engine, stage, begun.value, scenario);
}

type CheckoutScenario = Exclude<Scenario, BankAction>;

/** The parts of a simulation: the sandbox provider, its controls, and a token that scopes the buyer to the session. */
interface Stage {
  readonly provider: Provider;
  readonly control: SandboxControl;
  readonly token: EmbedToken;
  readonly sessionId: string;
  readonly partner: Partner;
  readonly flow: Flow;
}

async function stageFor({ engine, control }: Simulator, partner: Partner, session: Session): Promise<Stage | null> {
  const scope = scopeOf(session);
  const live = session.intentId === null ? null : await engine.store.find('intent', scope, session.intentId);
  const flow = live?.flow ?? session.terms.flow ?? 'on_ramp';
  if (control === null || (live !== null && live.provider !== control.provider)) return null;
  const provider = findProvider(engine, control.provider);
  if (provider === null) return null;
  const token: EmbedToken = {
    jti: 'test-helper',
    scope,
    keyHash: '',
    origin: 'test-helper',
    sessionId: session.id,
    terms: session.terms,
  };
  return { provider, control, token, sessionId: session.id, partner, flow };
}

async function intentOf(
  engine: Engine,
  stage: Stage,
  session: Session,
  scenario: CheckoutScenario,
): Promise<Result<Intent, SimulateRefusal>> {
  const scope = scopeOf(session);
  const live = session.intentId === null ? null : await engine.store.find('intent', scope, session.intentId);
  if (live !== null && live.stepTaskId !== null) return operationInProgress();
  if (live !== null && isLive(live)) return ok(live);
  const details = allowedDetails(stage, stage.control.details(scenario, stage.flow, session.terms.currency));
  const created = await createIntent(
    planned(engine, stage, scenario),
    { token: stage.token, partner: stage.partner, returnUrl: null },
    {
      ...details,
      flow: stage.flow,
      amount: session.terms.amount,
      currency: session.terms.currency,
      // The session's own terms, with the provider's defaults for open ones.
      sourceToken: null,
      sourceNetwork: null,
      targetToken: null,
      targetNetwork: null,
      walletAddress: session.terms.walletAddress === null ? details.walletAddress : null,
      countryCode: null,
      quoteId: null,
    },
    null,
  );
  if (created.isErr()) return err(created.error);
  if (created.value.kind !== 'fresh') throw new Error('A simulated intent takes no key.');
  return ok(created.value.value);
}

/** A test buyer whose payment method is restricted pays by the first allowed one, which needs no card. */
function allowedDetails({ partner }: Stage, details: SandboxDetails) {
  if (allowsMethod(partner.restrictions ?? {}, details.paymentMethod)) return details;
  return { ...details, paymentMethod: null, paymentDetails: null };
}

/** A copy of the engine with the sandbox as its only provider, which receives the plan just before the operation starts. */
function planned(engine: Engine, stage: Stage, scenario: CheckoutScenario): Engine {
  const provider: Provider = {
    ...bound(stage.provider),
    start: async (order) => {
      await stage.control.plan(order.operationId, PLANS[scenario], order.now);
      return stage.provider.start(order);
    },
  };
  return { ...engine, providers: [provider] };
}

function bound(provider: Provider): Provider {
  return {
    name: provider.name,
    capabilities: (scope) => provider.capabilities(scope),
    quote: (request) => provider.quote(request),
    checkQuote: (id, request) => provider.checkQuote(id, request),
    resolve: (request) => provider.resolve(request),
    start: (order) => provider.start(order),
    confirm: (order) => provider.confirm(order),
    cancel: (order) => provider.cancel(order),
    lookup: (order) => provider.lookup(order),
    parseCallback: (callback) => provider.parseCallback(callback),
  };
}

/** The plan of an operation before it starts. A late settlement must not reach `processing` before its session closes. */
const PLANS: Record<CheckoutScenario, SandboxPlan> = {
  succeed: 'succeed',
  decline: 'decline',
  kyc_required: 'kyc_required',
  kyc_rejected: 'kyc_required',
  processing: 'park',
  settlement_error: 'settlement_error',
  late_settlement: 'kyc_required',
  abandon: 'kyc_required',
};

async function runScenario(
  engine: Engine,
  stage: Stage,
  begun: Intent,
  scenario: CheckoutScenario,
): Promise<Result<Intent, SimulateRefusal>> {
  if (scenario === 'abandon' || scenario === 'kyc_required') return ok(begun);
  if (scenario === 'late_settlement') return settleLate(engine, stage, begun);
  await stage.control.plan(begun.operationId, PLANS[scenario], engine.clock.now(begun));
  const driven = await answerActions(engine, stage, begun, scenario);
  if (driven.isErr() || driven.value.status !== 'processing') return driven;
  if (scenario === 'processing') return driven;
  if (scenario === 'decline' || scenario === 'settlement_error') return settle(engine, stage, driven.value, 'failed');
  return settle(engine, stage, driven.value, 'succeeded');
}

/** Answers each required action as the scenario's buyer would. */
async function answerActions(
  engine: Engine,
  stage: Stage,
  begun: Intent,
  scenario: Scenario,
): Promise<Result<Intent, SimulateRefusal>> {
  let intent = begun;
  for (
    let step = 0;
    step < ACTIONS_MAX && intent.status === 'requires_action' && intent.nextAction !== null;
    step += 1
  ) {
    // A bank transfer is never confirmed: the money arrives, or the bank refuses it.
    if (intent.nextAction.type === 'bank_transfer')
      return settle(engine, stage, intent, scenario === 'decline' ? 'failed' : 'processing');
    if (intent.nextAction.type === 'kyc' && intent.nextAction.documents !== undefined) {
      intent = await reviewDocuments(engine, stage, intent, scenario);
      continue;
    }
    const confirmed = await confirmAction(engine, stage, intent, intent.nextAction, scenario);
    if (confirmed.isErr()) return err(confirmed.error);
    intent = confirmed.value;
  }
  return ok(intent);
}

/** KYC, one authentication, one deposit or transfer: no flow requires more. */
const ACTIONS_MAX = 4;

async function confirmAction(
  engine: Engine,
  stage: Stage,
  intent: Intent,
  action: ConfirmableAction,
  scenario: Scenario,
): Promise<Result<Intent, ConfirmIntentRefusal>> {
  const confirmation = stage.control.confirmation(scenario, action.type);
  const done = await confirmIntent(engine, { token: stage.token }, { intentId: intent.id, confirmation }, null);
  if (done.isErr()) return err(done.error);
  if (done.value.kind !== 'fresh') throw new Error('A simulated confirmation takes no key.');
  return ok(done.value.value);
}

/** Closes the session first; then the money arrives anyway. */
async function settleLate(engine: Engine, stage: Stage, intent: Intent): Promise<Result<Intent, SimulateRefusal>> {
  // A step is pending, so it is unknown whether there is anything to settle; nothing is closed.
  if (intent.stepTaskId !== null) return operationInProgress();
  // The provider never received this attempt.
  if ((await stage.provider.lookup(orderOf(engine, intent))) === null) return ok(intent);
  const cancelled = await cancelSession(engine, stage.token.scope, stage.sessionId);
  if (cancelled.isErr()) return err(cancelled.error);
  return settle(engine, stage, intent, 'succeeded');
}

/** A test buyer has no images to upload, so the review gets its result immediately. */
async function reviewDocuments(engine: Engine, stage: Stage, intent: Intent, scenario: Scenario): Promise<Intent> {
  const { now } = orderOf(engine, intent);
  await stage.control.review(intent.operationId, scenario === 'kyc_rejected' ? 'rejected' : 'accepted', now);
  return lookUp(engine, stage, intent);
}

async function settle(
  engine: Engine,
  stage: Stage,
  intent: Intent,
  outcome: 'processing' | 'succeeded' | 'failed',
): Promise<Result<Intent, SimulateRefusal>> {
  const order = orderOf(engine, intent);
  await stage.control.settle(intent.operationId, outcome, order.now);
  return ok(await lookUp(engine, stage, intent));
}

/** The intent after the sandbox's current state is applied. */
async function lookUp(engine: Engine, stage: Stage, intent: Intent): Promise<Intent> {
  const answer = await stage.provider.lookup(orderOf(engine, intent));
  if (answer === null) throw new Error('The sandbox has no record of an operation.');
  const done = await commitOutcome(engine, updateOf(intent, answer, null));
  if (done.isErr()) throw new Error('A simulated outcome takes no key.');
  const stored = await engine.store.find('intent', stage.token.scope, intent.id);
  return stored ?? intent;
}

function orderOf(engine: Engine, intent: Intent): OperationOrder {
  return { operationId: intent.operationId, mode: intent.mode, now: engine.clock.now(intent) };
}
