import { setTimeout } from 'node:timers/promises';
import { NO_DETAILS, type Mode } from '@gateramp/core/domain';
import type {
  ConfirmOrder,
  OperationOrder,
  ProviderAnswer,
  RefundingProvider,
  SavingProvider,
  StartOrder,
} from '@gateramp/core/ports';
import type { SandboxControl } from '@gateramp/extensions/sandbox';
import { answerOf } from './answer.js';
import { readCallback, SANDBOX_TEST_CALLBACK_SECRET } from './callback.js';
import { SANDBOX_CAPABILITIES, withSandboxPay } from './capabilities.js';
import { keyedDigest } from './digest.js';
import { changeOperation } from './change-operation.js';
import { memorySandboxLedger, type SandboxLedger } from './ledger.js';
import { begin, cancel, confirm, newOperation, receiveDocument, reviewed, type SandboxOperation } from './operation.js';
import { pagesAt, UNSERVED_PAGES } from './pages/pages.js';
import { sandboxPages, type SandboxPagesOptions } from './pages/sandbox-pages.js';
import { planOf, SETTLE_DELAYS, SETTLE_WITHIN_MS, type SettleDelays } from './plan.js';
import { checkQuote, quote } from './quotes.js';
import { isNotSent, notRefundable, refundOutcome, withRefund } from './refunds.js';
import { report } from './report.js';
import { resolve } from './resolve.js';
import { findCard, forgetCard, listCards } from './saved-cards.js';
import { sandboxControl } from './simulation.js';

/** The price of this amount takes a while, so that a waiting checkout can be observed. */
const SLOW_AMOUNT = '16.16';
const SLOW_QUOTE_MS = 2_500;

/** The ledger, secrets and delays of the sandbox. */
export interface SandboxProviderOptions {
  /** The ledger of operations; by default in memory. */
  readonly ledger?: SandboxLedger;
  /** Signs callbacks of both modes, and quote ids. Without it every callback in live mode is unauthenticated. */
  readonly callbackSecret?: string;
  /** Also signs callbacks, in test mode only. Default: `SANDBOX_TEST_CALLBACK_SECRET`, which is public; null for none. */
  readonly testCallbackSecret?: string | null;
  /** Milliseconds from the moment money moves to its end, at most 60,000. */
  readonly settleDelays?: Partial<SettleDelays>;
  /**
   * The address at which `pages` is served, such as `https://api.example`: the page of the issuer for the card that requires one, and the
   * component of the test wallet Sandbox Pay, which is only offered if this is set.
   */
  readonly pagesUrl?: string;
  /**
   * How long the price of the amount `16.16` takes, in milliseconds of real time; 2,500 by default. Above the gate's
   * `policy.providerQuestionTimeout` there is no price.
   */
  readonly slowQuoteMs?: number;
  /** The modes that accept new payments. Default: both, although live payments move no real money either. */
  readonly modes?: readonly Mode[];
}

type AbleProvider = RefundingProvider & SavingProvider;

/** The provider, with controls for test helpers. */
export interface SandboxProvider extends AbleProvider {
  /** Pass it to `createGate` as `sandbox`, so that the test helpers can simulate scenarios on this ledger. */
  readonly control: SandboxControl;
  /** Handles all requests below `/sandbox/` of `pagesUrl`. */
  pages(options: SandboxPagesOptions): (request: Request) => Promise<Response>;
  /** The sandbox is always reachable. */
  start(order: StartOrder): Promise<ProviderAnswer>;
  confirm(order: ConfirmOrder): Promise<ProviderAnswer>;
}

const SANDBOX = 'sandbox';

/**
 * A provider that moves no real money and behaves like a real one: it keeps its own ledger, asks for identity and codes, settles, declines
 * and charges back, controlled only by documented magic values (`README.md`) and `now`.
 */
export function sandboxProvider(options: SandboxProviderOptions = {}): SandboxProvider {
  const ledger = options.ledger ?? memorySandboxLedger();
  const secret = options.callbackSecret ?? null;
  const { testCallbackSecret = SANDBOX_TEST_CALLBACK_SECRET, slowQuoteMs = SLOW_QUOTE_MS } = options;
  const delays = readDelays(options.settleDelays);
  const pages = pagesAt(options.pagesUrl ?? UNSERVED_PAGES, keyedDigest(secret ?? 'sandbox', 'pages'));
  // Processes with the same callback secret accept each other's quotes; a forged sandbox quote would gain nothing.
  const quoteKey = keyedDigest(secret ?? 'sandbox', 'quote');

  return {
    contract: 2,
    name: SANDBOX,
    ...(options.modes === undefined ? {} : { modes: options.modes }),
    control: sandboxControl(SANDBOX, { ledger, delays, pages }),

    async capabilities() {
      return options.pagesUrl === undefined ? SANDBOX_CAPABILITIES : withSandboxPay(pages);
    },

    pages: ({ now, framedBy }) => sandboxPages({ pages, ledger, now, framedBy }),

    async quote(request) {
      if (request.amount === SLOW_AMOUNT) await setTimeout(slowQuoteMs);
      return quote(request, quoteKey, delays);
    },

    async checkQuote(quoteId, request) {
      return checkQuote(quoteId, request, quoteKey);
    },

    async resolve(request) {
      return resolve(request);
    },

    async start(order) {
      const { paymentDetails } = order;
      const saved =
        paymentDetails !== null && 'savedMethod' in paymentDetails
          ? await findCard(ledger, order.mode, paymentDetails)
          : null;
      const operation = await changeOperation(ledger, order.operationId, (known) => {
        const current = known === null ? newOperation(order.operationId, order.mode, order.now) : ofMode(known, order);
        if (current.state.step !== 'planned') return current;
        return begin(current, planOf(order, current.forced, delays, saved), pages, order.now);
      });
      return startedAnswer(operation, order);
    },

    async confirm(order) {
      const operation = await changeOperation(ledger, order.operationId, (known) => {
        if (known === null || known.state.step === 'planned')
          throw new Error('An operation is started before it can be confirmed.');
        return confirm(ofMode(known, order), order.confirmation, pages, order.now);
      });
      return startedAnswer(operation, order);
    },

    async receiveDocument(order) {
      await changeKnown(ledger, order.operationId, (known) => receiveDocument(ofMode(known, order), order));
      return { kind: 'received' };
    },

    /** An unknown operation is also recorded as closed, so that a start in flight is refused. */
    async cancel(order) {
      const operation = await changeOperation(ledger, order.operationId, (known) =>
        cancel(
          known === null ? newOperation(order.operationId, order.mode, order.now) : ofMode(known, order),
          order.now,
        ),
      );
      return startedAnswer(operation, order);
    },

    /** A review that has ended is recorded in the ledger: its money begins to move. */
    async lookup(order) {
      const known = await ledger.read(order.operationId);
      if (known === null) return null;
      const operation =
        reviewed(ofMode(known, order), order.now) === known
          ? known
          : await changeKnown(ledger, order.operationId, (present) => reviewed(present, order.now));
      return answerOf(operation, order.now);
    },

    async refund(order) {
      if (isNotSent(order)) return { kind: 'not_sent', retryable: true, reason: 'a refund of a documented amount' };
      if ((await ledger.read(order.operationId)) === null)
        return { kind: 'failed', failure: notRefundable('The sandbox has no record of this payment any more.') };
      const operation = await changeKnown(ledger, order.operationId, (known) =>
        withRefund(ofMode(known, order), order),
      );
      const outcome = refundOutcome(operation, order.refundId, order.now);
      if (outcome === null) throw new Error('A refund is missing from the sandbox ledger.');
      return outcome;
    },

    async lookupRefund(order) {
      const operation = await ledger.read(order.operationId);
      return operation === null ? null : refundOutcome(ofMode(operation, order), order.refundId, order.now);
    },

    listSavedMethods: (order) => listCards(ledger, order),

    forgetSavedMethod: (order) => forgetCard(ledger, order),

    async parseCallback(callback) {
      const update = readCallback(callback, [secret, callback.mode === 'test' ? testCallbackSecret : null]);
      if ('kind' in update) return update;
      const operation = await enterUpdate(ledger, update.operationId, (known) =>
        known.mode === callback.mode ? report(known, update.outcome, callback.modeNow) : known,
      );
      const answer = operation === null ? null : answerOf(operation, callback.modeNow);
      // The ledger adds up the parts that the bank takes; an update alone shows one of them.
      const isAllTaken = update.outcome.kind === 'charged_back' && answer?.outcome.kind === 'charged_back';
      const outcome = isAllTaken ? answer.outcome : update.outcome;
      return { kind: 'report', report: { ...update, outcome, details: answer?.details ?? NO_DETAILS } };
    },
  };
}

/** An update about an operation that is not in this ledger is passed on without being recorded. */
async function enterUpdate(
  ledger: SandboxLedger,
  operationId: string,
  enter: (operation: SandboxOperation) => SandboxOperation,
): Promise<SandboxOperation | null> {
  if ((await ledger.read(operationId)) === null) return null;
  return changeKnown(ledger, operationId, enter);
}

function changeKnown(
  ledger: SandboxLedger,
  operationId: string,
  change: (operation: SandboxOperation) => SandboxOperation,
): Promise<SandboxOperation> {
  return changeOperation(ledger, operationId, (known) => {
    if (known === null) throw new Error('An operation is missing from the sandbox ledger.');
    return change(known);
  });
}

function startedAnswer(operation: SandboxOperation, order: OperationOrder): ProviderAnswer {
  const answer = answerOf(operation, order.now);
  if (answer === null) throw new Error('The operation has not been started.');
  return answer;
}

/** Test and live mode are separate; an operation id that is used in both is a bug of the caller. */
function ofMode(operation: SandboxOperation, order: OperationOrder): SandboxOperation {
  if (operation.mode !== order.mode) throw new Error(`This operation belongs to ${operation.mode} mode.`);
  return operation;
}

function readDelays(given: Partial<SettleDelays> | undefined): SettleDelays {
  const delays = { ...SETTLE_DELAYS, ...given };
  if (Object.values(delays).some((delay) => !Number.isInteger(delay) || delay < 0 || delay > SETTLE_WITHIN_MS)) {
    throw new Error(`settleDelays must be whole milliseconds from 0 to ${SETTLE_WITHIN_MS}.`);
  }
  return delays;
}
