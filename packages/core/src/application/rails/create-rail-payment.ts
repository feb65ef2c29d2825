import { err, type Result } from 'neverthrow';
import type { JsonText } from '../../domain/json.js';
import { scopeOf } from '../../domain/mode.js';
import { type ExecutableQuote, markUsed, usableQuote } from '../../domain/quote/quote.js';
import { beginRailPayment } from '../../domain/rails/begin-rail-payment.js';
import { type RailKind, railKindOf, type RailPayment, redactedIban } from '../../domain/rails/rail-payment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { type Change, emptyChange } from '../../ports/change.js';
import type { AttemptRequest, CorridorRefusalCode, IbanAccount, Provider, StartOrder } from '../../ports/provider.js';
import type { MarketCaller } from '../capabilities/retrieve-capabilities.js';
import type { Decision } from '../commit/apply.js';
import { inserted } from '../commit/row-writes.js';
import { documentWrite, findKeptRow, RAIL_KINDS } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import type { Keyed } from '../idempotency/keyed.js';
import { findPayment } from '../intents/read-intents.js';
import { placeAttempt, startAt } from '../intents/place-attempt.js';
import { type Answers, attemptStep, type BegunStep, executeStep, stepTask } from '../intents/run-step.js';
import { findProvider } from '../providers/route-provider.js';
import { quoteKind, quoteNotFound } from '../quotes/create-quote.js';
import { holdAlarm } from '../sessions/close-session.js';

/** Requests about a payment over rails respond with the payment. */
export const PAYMENT_ANSWERS: Answers<RailPayment> = {
  of: (purchase) => {
    if (purchase.session !== null) throw new Error('A purchase of a session is no payment over rails.');
    return purchase.payment;
  },
  stored: async (engine, intent) => {
    const payment = await findPayment(engine, intent);
    if (payment === null) throw new Error('A stored payment is missing.');
    return payment;
  },
};

/** The server's request. Payout details are passed to the provider; only a redacted form is stored. */
export interface CreateRailPayment {
  readonly kind: RailKind;
  readonly quoteId: string;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  readonly payoutDetails: IbanAccount | null;
  readonly userReference: string | null;
  readonly metadata: JsonText;
}

type CreateRailRefusal = Refusal<CorridorRefusalCode | 'quote_already_used'>;

/** A committed payment and the step that the creating request runs immediately. */
interface Begun extends BegunStep {
  readonly provider: Provider;
  readonly providerQuoteId: string;
}

/**
 * Uses a quote and begins the payment. Quote, payment, intent, transaction and provider step are committed before the provider is called.
 * Of two concurrent requests for one quote, the second finds it used.
 */
export function createRailPayment(
  engine: Engine,
  caller: MarketCaller,
  input: CreateRailPayment,
  idempotent: Idempotent<RailPayment> | null,
): Keyed<RailPayment, CreateRailRefusal> {
  return executeStep(
    engine,
    caller.scope,
    {
      load: () => readyToBegin(engine, caller, input),
      decide: (ready) => decide(engine, ready, input),
      step: (begun) => {
        const order = startOrder(engine, begun, input);
        return attemptStep(engine, begun, () => startAt(engine, begun.provider, order));
      },
      answers: PAYMENT_ANSWERS,
    },
    idempotent,
  );
}

interface Ready {
  readonly quote: ExecutableQuote;
  readonly provider: Provider;
}

async function readyToBegin(
  engine: Engine,
  caller: MarketCaller,
  input: CreateRailPayment,
): Promise<Result<Ready, CreateRailRefusal>> {
  const { scope } = caller;
  const now = engine.clock.now(scope);
  const quote = await findKeptRow(engine.store, quoteKind, scope, input.quoteId, now);
  if (quote === null) return quoteNotFound();
  const open = usableQuote(quote, now);
  if (open.isErr()) return err(open.error);
  const unfit = quoteMismatch(quote, input.kind);
  if (unfit !== null) return refuse('corridor_not_supported', unfit);
  const provider = findProvider(engine, quote.provider);
  if (provider === null) return refuse('corridor_not_supported', 'The provider of this quote is no longer available.');
  const { ask: requested } = quote;
  const isIn = input.kind === 'pay_in';
  const request: AttemptRequest = {
    scope,
    flow: requested.side,
    amount: requested.amount,
    currency: requested.currency,
    sourceToken: isIn ? null : requested.asset,
    sourceNetwork: isIn ? null : requested.network,
    targetToken: isIn ? requested.asset : null,
    targetNetwork: isIn ? requested.network : null,
    paymentMethod: quote.paymentMethod,
    countryCode: requested.countryCode,
    walletAddress: input.walletAddress,
    refundAddress: input.refundAddress,
    now,
  };
  const placed = await placeAttempt(engine, caller, request, provider);
  return placed.map(() => ({ quote, provider }));
}

/** Why the quote cannot be used for this kind of payment; null if it can. */
function quoteMismatch({ ask: requested, paymentMethod }: ExecutableQuote, kind: RailKind): string | null {
  if (railKindOf(requested.side) !== kind)
    return `This quote is for ${requested.side}; ${kind === 'pay_in' ? 'a pay-in requires an on_ramp quote' : 'a pay-out requires an off_ramp quote'}.`;
  return paymentMethod === 'bank_transfer'
    ? null
    : `${paymentMethod} requires a checkout session; request a quote for bank_transfer.`;
}

function decide(
  engine: Engine,
  { quote, provider }: Ready,
  input: CreateRailPayment,
): Result<Decision<Begun>, CreateRailRefusal> {
  const scope = scopeOf(quote);
  const now = engine.clock.now(scope);
  const id = engine.ids.object(now);
  const taskId = engine.ids.object(now);
  return markUsed(quote, id, now).map((used) => {
    const { payoutDetails } = input;
    const purchase = beginRailPayment(
      used,
      {
        ...input,
        id,
        taskId,
        operationId: `op_${id}`,
        txRefid: engine.ids.transaction(now),
        beneficiary: payoutDetails === null ? null : redactedIban(payoutDetails.iban),
      },
      now,
      engine.policy,
    );
    const task = stepTask(engine, { ...scope, id: taskId, kind: 'provider_start', subjectId: id }, now);
    const change: Change = {
      ...emptyChange(scope, now),
      intents: [inserted(purchase.intent)],
      transactions: [inserted(purchase.transaction)],
      documents: [documentWrite(quoteKind, used, quote), documentWrite(RAIL_KINDS[input.kind], purchase.payment, null)],
      tasks: [task, ...holdAlarm(engine, null, purchase.payment, now)],
    };
    return { change, value: { purchase, task, provider, providerQuoteId: quote.providerQuoteId } };
  });
}

function startOrder(
  engine: Engine,
  { purchase: { intent }, providerQuoteId }: Begun,
  { payoutDetails }: CreateRailPayment,
): StartOrder {
  return {
    operationId: intent.operationId,
    mode: intent.mode,
    now: engine.clock.now(intent),
    intent,
    rails: { providerQuoteId },
    returnUrl: null,
    // Partners that use rails verify their users themselves, by contract.
    kycPreVerified: true,
    paymentDetails: null,
    payoutDetails,
  };
}
