import { err, ok, type Result } from 'neverthrow';
import type { AuditContext } from '../../domain/audit.js';
import type { Intent } from '../../domain/intent/intent.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { currencyDecimals } from '../../domain/money.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { newTask, type Task } from '../../domain/task.js';
import { beginRefund, type RefundOutcome, type RefundRequest } from '../../domain/transaction/refund.js';
import type { Refund, RefundFailure, Transaction } from '../../domain/transaction/transaction.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { NotSent, RefundingProvider } from '../../ports/provider.js';
import type { Decision } from '../commit/apply.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import { loadPurchase } from '../intents/read-intents.js';
import { type Answers, executeStep, stepTask } from '../intents/run-step.js';
import { inTime, notReached } from '../providers/call-providers.js';
import { findProvider } from '../providers/route-provider.js';
import { canRefund, commitRefund, refundOrder } from './continue-refund.js';
import { retrieveTransaction } from './read-transactions.js';

/** Maximum number of refunds per transaction, including failed ones. */
const REFUNDS_MAX = 50;

/** The transaction to refund, the amount, and who the audit trail names. */
interface RefundTransaction extends RefundRequest {
  readonly refid: string;
  readonly by: AuditContext;
}

type RefundRefusal = Refusal<
  'transaction_not_found' | 'validation_failed' | 'refund_not_possible' | 'refund_exceeds_amount'
>;

/** A committed refund and the task of its step. */
interface Begun {
  readonly purchase: Purchase;
  readonly task: Task;
  readonly refund: Refund;
}

/**
 * Refunds a completed transaction in full or in part, for an operator. The refund and its provider step are committed before the provider
 * is called, guarded by the transaction's version: of two concurrent refunds, the second is decided again on the remaining amount.
 */
export function refundTransaction(
  engine: Engine,
  scope: Scope,
  input: RefundTransaction,
  idempotent: Idempotent<Transaction> | null,
): Keyed<Transaction, RefundRefusal> {
  if (engine.providers.length === 0) return queueRefund(engine, scope, input, idempotent);
  return executeStep<
    Refundable,
    Begun & Pick<Refundable, 'provider'>,
    Transaction,
    RefundOutcome,
    RefundRefusal['code']
  >(
    engine,
    scope,
    {
      load: () => loadRefundable(engine, scope, input.refid),
      decide: (ready) =>
        decide(engine, ready, input, 'leased').map(({ value, ...rest }) => ({
          ...rest,
          value: { ...value, provider: ready.provider },
        })),
      step: ({ purchase, refund, task, provider }) => {
        const order = refundOrder(engine, purchase, refund);
        return {
          call: async () => {
            const answer = await provider.refund(order);
            return answer.kind === 'not_sent' ? whenNotSent(engine, purchase.intent, answer) : answer;
          },
          record: (outcome, key) => commitRefund(engine, task, refund.id, outcome, key),
        };
      },
      answers: TRANSACTION_ANSWERS,
    },
    idempotent,
  );
}

/**
 * Commits the refund for a worker of another process: this one has no providers, such as a command. The provider says whether it can refund
 * the payment.
 */
function queueRefund(
  engine: Engine,
  scope: Scope,
  input: RefundTransaction,
  idempotent: Idempotent<Transaction> | null,
): Keyed<Transaction, RefundRefusal> {
  return executeKeyed<Pick<Refundable, 'purchase' | 'decimals'>, Transaction, RefundRefusal['code']>(
    engine,
    {
      load: async () => {
        const found = await retrieveTransaction(engine, scope, input.refid);
        if (found.isErr()) return err(found.error);
        if (!isPaidIn(found.value)) return refuse('refund_not_possible', CANNOT_REFUND);
        const purchase = await loadPurchase(engine, scope, found.value.intentId);
        return ok({ purchase, decimals: currencyDecimals(found.value.source.currency ?? '') });
      },
      decide: (ready) =>
        decide(engine, ready, input, 'due').map(({ value, ...rest }) => ({
          ...rest,
          value: value.purchase.transaction,
        })),
    },
    idempotent,
  );
}

/** The only call did not reach the provider: no money has moved, and none will. */
function whenNotSent({ telemetry }: Engine, { id, provider }: Intent, answer: NotSent): RefundOutcome {
  telemetry.failure(notReached(answer), { intent_id: id, provider });
  return { kind: 'failed', failure: { ...NOT_SENT, retryable: answer.retryable } };
}

const NOT_SENT: RefundFailure = {
  code: 'error',
  message: 'The payment provider could not be reached; nothing was refunded.',
};

/** Refund requests respond with the transaction. */
const TRANSACTION_ANSWERS: Answers<Transaction> = {
  of: ({ transaction }) => transaction,
  stored: async ({ store }, intent) => {
    const transaction = await store.find('transaction', scopeOf(intent), intent.txRefid);
    if (transaction === null) throw new Error('A stored transaction is missing.');
    return transaction;
  },
};

interface Refundable {
  readonly purchase: Purchase;
  readonly provider: RefundingProvider;
  /** Fractional digits of the source currency, as listed by the provider. */
  readonly decimals: number | null;
}

async function loadRefundable(engine: Engine, scope: Scope, refid: string): Promise<Result<Refundable, RefundRefusal>> {
  const found = await retrieveTransaction(engine, scope, refid);
  if (found.isErr()) return err(found.error);
  const purchase = await loadPurchase(engine, scope, found.value.intentId);
  const able = await refundingProvider(engine, purchase);
  if (able === null) return refuse('refund_not_possible', CANNOT_REFUND);
  return ok({ purchase, ...able });
}

const CANNOT_REFUND = 'The provider of this transaction cannot refund this kind of payment.';

function isPaidIn({ flow, paymentMethod }: Transaction): boolean {
  return flow === 'on_ramp' && paymentMethod !== null;
}

/** Null if the provider cannot refund the transaction's payment method. */
async function refundingProvider(
  engine: Engine,
  { intent, transaction }: Purchase,
): Promise<Pick<Refundable, 'provider' | 'decimals'> | null> {
  const provider = findProvider(engine, intent.provider);
  const { paymentMethod, source } = transaction;
  if (provider === null || !canRefund(provider) || !isPaidIn(transaction) || paymentMethod === null) return null;
  const question = provider.capabilities(scopeOf(transaction));
  const { refundable, currencies } = await inTime(engine, provider.name, question);
  if (refundable?.includes(paymentMethod) !== true) return null;
  const currency = currencies.find(({ code }) => code === source.currency?.toUpperCase());
  return { provider, decimals: currency?.decimals ?? null };
}

function decide(
  engine: Engine,
  { purchase: before, decimals }: Pick<Refundable, 'purchase' | 'decimals'>,
  { refid, amount, reason, by }: RefundTransaction,
  run: 'leased' | 'due',
): Result<Decision<Begun>, RefundRefusal> {
  const scope = scopeOf(before.intent);
  const now = engine.clock.now(scope);
  const taskId = engine.ids.object(now);
  const input = { id: engine.ids.object(now), taskId, amount, reason, decimals, refundsMax: REFUNDS_MAX };
  return beginRefund(before.transaction, input, now).map(({ transaction, refund }) => {
    const purchase: Purchase = { ...before, transaction };
    const subjectId = before.intent.id;
    const step = { ...scope, id: taskId, kind: 'provider_refund', subjectId } as const;
    const task = run === 'leased' ? stepTask(engine, step, now) : newTask({ ...step, dueAt: now }, now);
    const change: Change = {
      ...emptyChange(scope, now),
      ...purchaseWrites(before, purchase),
      tasks: [task],
    };
    const target = { type: 'transaction', id: refid };
    const after = { refund_id: refund.id, amount: refund.amount, currency: transaction.source.currency };
    const audited = [{ ...by, ...scope, action: 'transaction.refund', target, before: null, after }];
    return { change, value: { purchase, refund, task }, audited };
  });
}
