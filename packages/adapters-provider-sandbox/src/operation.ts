import type { Mode } from '@gateramp/core';
import {
  DAY,
  DOCUMENT_SIDES,
  MINUTE,
  type DocumentSide,
  type Failure,
  type Instant,
  type NextAction,
  type OneTimeCode,
  type ProviderComponent,
  type Redirect,
} from '@gateramp/core/domain';
import type { Confirmation, DocumentOrder } from '@gateramp/core/ports';
import type { SandboxPlan } from '@gateramp/extensions/sandbox';
import { rejection } from './confirmation.js';
import { digest } from './digest.js';
import { DOCUMENTS_ACTION, DOCUMENTS_REJECTED, REJECTED_DOCUMENT_MARK } from './documents.js';
import { bookEffects, effectsOf, type MoneyEffect, type SandboxDispute, type SandboxRefund } from './effects.js';
import { endingAt, endingOf, type Ending } from './ending.js';
import type { Pages } from './pages/pages.js';
import type { KeptCard } from './cards.js';
import { settleAfter, withForced, type ActionName, type OperationPlan, type SettleDelays, type Step } from './plan.js';

/** One payment in the sandbox's ledger: plain JSON, without card, account or personal data except a card to be saved. */
export interface SandboxOperation {
  readonly operationId: string;
  readonly mode: Mode;
  /** Counts writes; compared by the ledger. */
  readonly version: number;
  /** Null until started, and for an operation that failed or was closed at once. */
  readonly plan: OperationPlan | null;
  /** Overrides that a test has set before the start. */
  readonly forced: SandboxPlan | null;
  readonly state: OperationState;
  /** Every movement of money, past and scheduled, each at most once. */
  readonly effects: readonly MoneyEffect[];
  /** The received sides of a document, and whether they will be accepted. The pictures themselves are not kept. */
  readonly documents?: Readonly<Partial<Record<DocumentSide, 'acceptable' | 'rejected'>>>;
  /** Oldest first; absent while there is none. */
  readonly refunds?: readonly SandboxRefund[];
  /** Oldest first; absent while there is none. */
  readonly disputes?: readonly SandboxDispute[];
  /** Only in the row of a customer: the saved cards, newest first. */
  readonly savedCards?: readonly KeptCard[];
  readonly updatedAt: Instant;
}

/** The state of an operation. */
export type OperationState =
  /** A test has set its behavior; the engine has not started it yet. */
  | { readonly step: 'planned' }
  | Awaiting
  | Review
  | Moving
  | { readonly step: 'failed'; readonly failure: Failure }
  | { readonly step: 'cancelled' };

/** Waits for the buyer to do something. */
export interface Awaiting {
  readonly step: 'awaiting';
  readonly action: NextAction;
  readonly ahead: readonly Step[];
}

/** Documents under review until `until`, after which the operation gets the result that was decided when they were submitted. */
export interface Review {
  readonly step: 'in_review';
  readonly until: Instant;
  readonly then: OperationState;
}

/** Money on its way, with its end scheduled. A bank transfer of a checkout arrives at `since`, and is requested until then. */
export interface Moving {
  readonly step: 'moving';
  readonly since: Instant;
  readonly ending: Ending | null;
  /** The action that is requested until `since`; absent if money moves at once. */
  readonly awaited?: NextAction;
}

/** How long the issuer's page or the component can be used. */
export const VISIT_WITHIN_MS = 15 * MINUTE;

/** The time between two one-time codes. */
export const RESEND_AFTER_MS = 30_000;

/** The public key of the test wallet's component. */
export const SANDBOX_PAY_KEY = 'sandbox_pay_public';

export const DEPOSIT_WITHIN_MS = 30 * MINUTE;

/** Bank transfers take up to a day. */
export const TRANSFER_WITHIN_MS = DAY;

/** The target of test transfers: an account that does not exist. */
export const SANDBOX_ACCOUNT = {
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  accountHolder: 'Gateramp Sandbox',
} as const;

/** The fields of the sandbox's identity check. */
export const KYC_FIELDS: readonly string[] = ['first_name', 'last_name', 'date_of_birth', 'document_number'];

export function newOperation(operationId: string, mode: Mode, now: Instant): SandboxOperation {
  return {
    operationId,
    mode,
    version: 0,
    plan: null,
    forced: null,
    state: { step: 'planned' },
    effects: [],
    updatedAt: now,
  };
}

/** Starts the operation; a repeat returns the current operation, including a closed one. */
export function begin(
  operation: SandboxOperation,
  plan: OperationPlan | Failure,
  pages: Pages,
  at: Instant,
): SandboxOperation {
  if (operation.state.step !== 'planned') return operation;
  const now = inOrder(operation, at);
  if ('code' in plan) return { ...operation, state: { step: 'failed', failure: plan }, updatedAt: now };
  return enter({ ...operation, plan }, { plan, pages }, plan.steps, now);
}

/** Handles the buyer's confirmation of the requested action; for any other action, the operation has already moved on and is unchanged. */
export function confirm(
  before: SandboxOperation,
  confirmation: Confirmation,
  pages: Pages,
  at: Instant,
): SandboxOperation {
  const now = inOrder(before, at);
  const operation = reviewed(before, now);
  const { state, plan } = operation;
  if (plan === null || state.step !== 'awaiting') return operation;
  if (confirmation.action === 'send_code') return sendCode(operation, state, now);
  if (state.action.type !== confirmation.action) return operation;
  // The page or component updates the ledger itself; for forced operations, the test replaces it.
  if (isAskedThere(state.action) && operation.forced === null) return operation;
  if (state.action.type === 'kyc' && state.action.documents !== undefined)
    return submitDocuments(operation, { plan, pages }, state, now);
  const failure = rejection(confirmation, now);
  if (failure !== null) return { ...operation, state: { step: 'failed', failure }, updatedAt: now };
  return enter(operation, { plan, pages }, state.ahead, now);
}

/** The code is always the same, so only the time of the next one changes. */
function sendCode(operation: SandboxOperation, state: Awaiting, now: Instant): SandboxOperation {
  if (state.action.type !== 'payment_authentication') return operation;
  return { ...operation, state: { ...state, action: oneTimeCode(now) }, updatedAt: now };
}

function oneTimeCode(now: Instant): OneTimeCode {
  return { type: 'payment_authentication', challenge: 'otp', destination: '••42', resendAt: now + RESEND_AFTER_MS };
}

/** The result is decided now and becomes visible after the review. Unless all sides are present, nothing was submitted. */
function submitDocuments(
  operation: SandboxOperation,
  planned: Planned,
  { ahead }: Awaiting,
  now: Instant,
): SandboxOperation {
  const verdicts = DOCUMENT_SIDES.map((side) => operation.documents?.[side]);
  if (verdicts.includes(undefined)) return operation;
  const until = now + (planned.plan.reviewMs ?? 0);
  const result = verdicts.includes('rejected')
    ? rejectDocuments(operation, until)
    : enter(operation, planned, ahead, until);
  if (until === now) return result;
  return { ...result, state: { step: 'in_review', until, then: result.state }, updatedAt: now };
}

/** Ends the upload or review of documents at `now` with the result that a test requests. */
export function endReview(
  operation: SandboxOperation,
  verdict: 'accepted' | 'rejected',
  pages: Pages,
  at: Instant,
): SandboxOperation {
  const now = inOrder(operation, at);
  const { state, plan } = reviewed(operation, now);
  const isAwaited = state.step === 'awaiting' && state.action.type === 'kyc' && state.action.documents !== undefined;
  if (plan === null || (state.step !== 'in_review' && !isAwaited)) return operation;
  if (verdict === 'rejected') return rejectDocuments(operation, now);
  const ahead = plan.steps.filter((step) => step.kind !== 'ask' || step.action !== 'documents');
  return enter(operation, { plan, pages }, ahead, now);
}

function rejectDocuments(operation: SandboxOperation, now: Instant): SandboxOperation {
  return withoutMoney(operation, { step: 'failed', failure: DOCUMENTS_REJECTED }, now);
}

/** Handles the buyer's decision on the page or in the component. If it is no longer requested, the operation is unchanged. */
export function answerThere(
  before: SandboxOperation,
  decision: 'approve' | 'decline',
  pages: Pages,
  at: Instant,
): SandboxOperation {
  const now = inOrder(before, at);
  const operation = reviewed(before, now);
  const { state, plan } = operation;
  if (plan === null || state.step !== 'awaiting' || !isAskedThere(state.action)) return operation;
  if (now > state.action.expiresAt) return operation;
  return decision === 'approve'
    ? enter(operation, { plan, pages }, state.ahead, now)
    : { ...operation, state: { step: 'failed', failure: NOT_AUTHENTICATED }, updatedAt: now };
}

function isAskedThere(action: NextAction): action is Redirect | ProviderComponent {
  return action.type === 'redirect' || action.type === 'provider_component';
}

const NOT_AUTHENTICATED: Failure = {
  code: 'payment_authentication_failed',
  stage: 'payment',
  message: 'The payment was not approved.',
  retryable: true,
};

/** Closes the operation while no money has moved; afterwards it is too late, and nothing changes. */
export function cancel(before: SandboxOperation, at: Instant): SandboxOperation {
  const now = inOrder(before, at);
  const operation = reviewed(before, now);
  const { state } = operation;
  const isOpen = ['planned', 'awaiting', 'in_review'].includes(state.step) || isExpected(state, now);
  return isOpen ? withoutMoney(operation, { step: 'cancelled' }, now) : operation;
}

/** Whether a bank transfer has yet to arrive. Money that moves at once never is, whatever the clock of the process that asks. */
export function isExpected(state: OperationState, now: Instant): state is Expected {
  return state.step === 'moving' && state.awaited !== undefined && now < state.since;
}

type Expected = Moving & Required<Pick<Moving, 'awaited'>>;

/** Time in the ledger never goes backwards, whatever the clock of the process. */
export function inOrder({ updatedAt }: Pick<SandboxOperation, 'updatedAt'>, at: Instant): Instant {
  return Math.max(at, updatedAt);
}

/** Ends the operation before any money has moved: scheduled movements are dropped. */
export function withoutMoney(
  operation: SandboxOperation,
  state: Extract<OperationState, { step: 'cancelled' | 'failed' }>,
  now: Instant,
): SandboxOperation {
  return { ...operation, state, effects: effectsOf(operation, now), updatedAt: now };
}

/** Changes an operation as a test requests, from `now` on. An operation that has ended keeps its end. */
export function force(
  known: SandboxOperation,
  forced: SandboxPlan,
  delays: SettleDelays,
  at: Instant,
): SandboxOperation {
  const now = inOrder(known, at);
  const operation = reviewed(known, now);
  const { state, plan: before } = operation;
  if (state.step === 'planned') return { ...operation, forced, updatedAt: now };
  if (before === null) return operation;
  const plan = withForced({ ...before, settleAfterMs: settleAfter(before.flow, before.paymentMethod, delays) }, forced);
  if (state.step === 'awaiting') {
    const ahead = plan.steps.filter((step) => step.kind === 'refuse' || step.action !== state.action.type);
    return { ...operation, plan, forced, state: { ...state, ahead }, updatedAt: now };
  }
  if (isExpected(state, now)) return expect({ ...operation, plan, forced }, plan, state.awaited, state.since, now);
  if (state.step !== 'moving' || (state.ending !== null && now >= state.ending.at)) return operation;
  return withEnding({ ...operation, plan, forced }, state.since, endingOf(plan, now), now);
}

/** A plan, and the pages to which it sends buyers. */
interface Planned {
  readonly plan: OperationPlan;
  readonly pages: Pages;
}

/** Starts the first remaining step; if there is none, money moves. */
function enter(
  operation: SandboxOperation,
  { plan, pages }: Planned,
  steps: readonly Step[],
  now: Instant,
): SandboxOperation {
  const [next, ...ahead] = steps;
  if (next === undefined) return withEnding(operation, now, endingOf(plan, now), now);
  if (next.kind === 'refuse') return { ...operation, state: { step: 'failed', failure: next.failure }, updatedAt: now };
  const action = actionOf(next.action, operation.operationId, { plan, pages }, now);
  if (action.type === 'bank_transfer' && plan.settleAfterMs !== null)
    return expect(operation, plan, action, now + plan.settleAfterMs, now);
  return { ...operation, state: { step: 'awaiting', action, ahead }, updatedAt: now };
}

/** A bank transfer arrives at `since` and settles in the same instant, unless a test settles it itself. */
function expect(
  operation: SandboxOperation,
  plan: OperationPlan,
  awaited: NextAction,
  since: Instant,
  now: Instant,
): SandboxOperation {
  if (plan.settleAfterMs === null) {
    const state: OperationState = { step: 'awaiting', action: awaited, ahead: [] };
    return { ...operation, state, effects: effectsOf(operation, now), updatedAt: now };
  }
  const ending = endingAt(plan, since);
  const state: OperationState = { step: 'moving', since, ending, awaited };
  return { ...operation, state, effects: bookEffects(operation, { since, ending }, now), updatedAt: now };
}

/** Money has been moving since `since`, with its end scheduled. */
export function withEnding(
  operation: SandboxOperation,
  since: Instant,
  ending: Ending | null,
  now: Instant,
): SandboxOperation {
  const state: OperationState = { step: 'moving', since, ending };
  return { ...operation, state, effects: bookEffects(operation, { since, ending }, now), updatedAt: now };
}

function actionOf(name: ActionName, operationId: string, { plan, pages }: Planned, now: Instant): NextAction {
  switch (name) {
    case 'kyc':
      return { type: 'kyc', level: 'basic', fields: KYC_FIELDS };
    case 'documents':
      return DOCUMENTS_ACTION;
    case 'payment_authentication':
      return oneTimeCode(now);
    case 'redirect':
      return { type: 'redirect', url: pages.authenticationUrl(operationId), expiresAt: now + VISIT_WITHIN_MS };
    case 'provider_component':
      return {
        type: 'provider_component',
        provider: 'sandbox',
        publicKey: SANDBOX_PAY_KEY,
        clientSecret: pages.clientSecret(operationId),
        expiresAt: now + VISIT_WITHIN_MS,
      };
    case 'bank_transfer': {
      const { currency } = plan.price.source;
      if (currency === null) throw new Error('A bank transfer is asked for in a currency.');
      return {
        type: 'bank_transfer',
        ...SANDBOX_ACCOUNT,
        reference: `SBX${digest('transfer', operationId).slice(0, 12).toUpperCase()}`,
        amount: plan.price.sourceTotal,
        currency,
        expiresAt: now + TRANSFER_WITHIN_MS,
      };
    }
    case 'crypto_deposit': {
      const { currency: asset, network } = plan.price.source;
      if (asset === null || network === null) throw new Error('A deposit is asked for in crypto only.');
      return {
        type: 'crypto_deposit',
        address: `0x${digest('deposit', network, operationId).slice(0, 40)}`,
        memo: null,
        network,
        asset,
        amount: plan.price.sourceTotal,
        expiresAt: now + DEPOSIT_WITHIN_MS,
      };
    }
  }
}

/** The operation at `now`: a review that is over by then has its result applied. */
export function reviewed(operation: SandboxOperation, now: Instant): SandboxOperation {
  const { state } = operation;
  return state.step === 'in_review' && now >= state.until ? { ...operation, state: state.then } : operation;
}

/** Records one side of a document. Has no effect if no document is requested, or the documents are under review. */
export function receiveDocument(
  operation: SandboxOperation,
  { side, bytes, now }: Pick<DocumentOrder, 'side' | 'bytes' | 'now'>,
): SandboxOperation {
  const { state } = operation;
  if (state.step !== 'awaiting' || state.action.type !== 'kyc' || state.action.documents === undefined)
    return operation;
  const isRejected = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(REJECTED_DOCUMENT_MARK);
  const documents = { ...operation.documents, [side]: isRejected ? 'rejected' : 'acceptable' } as const;
  return { ...operation, documents, updatedAt: now };
}
