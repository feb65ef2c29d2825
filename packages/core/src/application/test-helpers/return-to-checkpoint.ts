import { err, ok } from 'neverthrow';
import type { AuditContext } from '../../domain/audit.js';
import {
  type Checkpoint,
  isToRestore,
  restoredDelivery,
  restoredIntent,
  restoredPayment,
  restoredQuote,
  restoredSession,
  restoredTask,
  restoredTransaction,
  type SandboxRows,
  type Shift,
  withdrawnQuote,
} from '../../domain/checkpoint.js';
import type { Instant } from '../../domain/instant.js';
import { type Intent, isLive, type NextAction } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { restoredOperationId } from '../../domain/purchase/begin-purchase.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { completedSessionsCounter, slotMoves } from '../../domain/quota/quota.js';
import type { ExecutableQuote } from '../../domain/quote/quote.js';
import { followIntent } from '../../domain/rails/follow-intent.js';
import type { RailPayment } from '../../domain/rails/rail-payment.js';
import { expireIfDue, isTerminal, type Session } from '../../domain/session/session.js';
import { finishTask, type Task } from '../../domain/task.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import { type Delivery, hasEnded } from '../../domain/webhook/delivery.js';
import { type Change, type CounterMove, emptyChange } from '../../ports/change.js';
import { apply, TryAgain } from '../commit/apply.js';
import {
  type Audience,
  joinEvents,
  loadAudience,
  purchaseEvents,
  sessionEvents,
  updated,
} from '../commit/row-writes.js';
import { documentWrite, findRow, RAIL_KINDS } from '../documents/document-kind.js';
import { CUSTOMERS, CUSTOMERS_ID, customerSince, type SandboxCustomers } from '../embed/saved-methods.js';
import type { Engine } from '../engine.js';
import { findPayment, withSealedSecret } from '../intents/read-intents.js';
import { providerNamed } from '../providers/route-provider.js';
import { quoteKind } from '../quotes/create-quote.js';
import type { Worker } from '../work/worker.js';
import {
  all,
  atRest,
  BUSY,
  type Done,
  entryOf,
  HeldTasks,
  idOf,
  loadCheckpoint,
  NO_CUSTOMERS,
  NO_FILTER,
  NO_SANDBOX,
  notAvailable,
  notFound,
  openRows,
  PAYMENTS,
  present,
  refOf,
  type Returned,
  SESSIONS,
  TOO_LARGE,
  unusedQuotes,
} from './checkpoints.js';

/**
 * Returns a sandbox to a checkpoint in one commit. Sessions, payments and pending work are restored, with future instants as far ahead as
 * they were. Ids, event numbers and the clock never go back. Open sessions created since expire, and events announced since are still
 * delivered.
 */
export function returnToCheckpoint(
  engine: Engine,
  worker: Worker,
  scope: Scope,
  id: string,
  by: AuditContext,
): Done<Returned> {
  return atRest(engine, worker, scope, async () => {
    const sandbox = engine.sandbox;
    if (sandbox?.restore === undefined) return notAvailable(NO_SANDBOX);
    const found = await loadCheckpoint(engine, scope, id);
    if (found === null) return notFound();
    const opened = openRows(engine, found.rows);
    if (opened.isErr()) return err(opened.error);
    const { head } = found;
    const rows = opened.value;
    if (sandbox.restoreCustomer === undefined && Object.keys(rows.provider.customers).length > 0)
      return notAvailable(NO_CUSTOMERS);
    const now = engine.clock.now(scope);
    const shift: Shift = {
      id: engine.ids.object(now),
      laterMs: now - head.createdAt,
      taskIds: new Map(rows.tasks.map((task) => [task.id, engine.ids.object(now)])),
    };
    const held = new HeldTasks(engine, scope);
    try {
      const { outcome, value } = await apply(engine, {
        load: async (): Promise<Current | null> => {
          const claimed = await held.take();
          return claimed ? loadCurrent(engine, scope, { rows, head, shift, now }) : null;
        },
        decide: (current) => {
          if (current === null) return { change: null, value: null };
          const decided = returning(engine, scope, { rows, shift, now, current, held: held.all() });
          const after = { name: head.name, createdAt: head.createdAt, returnId: shift.id };
          const audited = [{ ...by, ...scope, ...entryOf('return', head), before: null, after }];
          return { change: decided.change, value: decided, audited };
        },
      });
      if (outcome === 'lost') throw new TryAgain(BUSY);
      if (value === null) return err(TOO_LARGE);
      held.release();
      return ok({ checkpoint: head, now, restored: value.restored, expired: value.expired });
    } finally {
      await held.giveBack();
    }
  });
}

/** The input of a return. */
interface Saved {
  readonly rows: SandboxRows;
  readonly shift: Shift;
  readonly now: Instant;
}

/** The rows as they are now, by id, and the restored operations of intents. */
interface Current {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly intents: ReadonlyMap<string, Intent>;
  readonly transactions: ReadonlyMap<string, Transaction>;
  readonly payments: ReadonlyMap<string, RailPayment>;
  readonly operations: ReadonlyMap<string, { readonly id: string; readonly nextAction: NextAction | null }>;
  /** Saved ones that have ended since. */
  readonly endedDeliveries: readonly Delivery[];
  /** The saved ones, and open ones created since. */
  readonly quotes: ReadonlyMap<string, ExecutableQuote>;
  readonly customers: SandboxCustomers | null;
  readonly audience: Audience;
}

/** Null if more was added since than a return can end. Restores the operations of the provider under ids that nothing refers to yet. */
async function loadCurrent(
  engine: Engine,
  scope: Scope,
  { rows, head, shift, now }: Saved & { readonly head: Checkpoint },
): Promise<Current | null> {
  const { store } = engine;
  const since = { ...NO_FILTER, createdAfter: head.createdAt };
  const newSessions = await all((page) => store.list('session', scope, { ...since, ...SESSIONS }, page, now), idOf);
  const newPayments = await all((page) => store.list('transaction', scope, { ...since, ...PAYMENTS }, page), refOf);
  if (newSessions === null || newPayments === null) return null;
  const saved = await present(rows.sessions, ({ id }) => store.find('session', scope, id));
  const paid = await present(rows.transactions, ({ refid }) => store.find('transaction', scope, refid));
  const sessions = byId([...saved, ...newSessions]);
  const transactions = new Map([...paid, ...newPayments].map((row) => [row.refid, row]));
  const intents = byId(
    await present([...transactions.values()], ({ intentId }) => store.find('intent', scope, intentId)),
  );
  const rails = [...intents.values()].filter(({ sessionId }) => sessionId === null);
  const payments = byId(await present(rails, (intent) => findPayment(engine, intent)));
  const newQuotes = await unusedQuotes(engine, scope, head.createdAt);
  if (newQuotes === null) return null;
  const quotes = byId([
    ...(await present(rows.quotes, ({ id }) => findRow(store, quoteKind, scope, id))),
    ...newQuotes,
  ]);
  await restoreCustomers(engine, rows, [...sessions.values()], shift);
  const records = await Promise.all(rows.deliveries.map(({ id }) => store.find('delivery', scope, id)));
  return {
    sessions,
    intents,
    transactions,
    payments,
    operations: await restoredOperations(engine, { rows, shift, now }, { sessions, intents, transactions }),
    endedDeliveries: rows.deliveries.filter((_, at) => {
      const delivery = records[at]?.delivery;
      return delivery === undefined || hasEnded(delivery);
    }),
    quotes,
    customers: await findRow(store, CUSTOMERS, scope, CUSTOMERS_ID),
    audience: await loadAudience(engine, scope),
  };
}

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

/** Under the customers that buyers will be since this return, to whom nothing refers yet. */
async function restoreCustomers(
  engine: Engine,
  { provider }: SandboxRows,
  sessions: readonly Session[],
  { id }: Shift,
) {
  for (const [reference, saved] of Object.entries(provider.customers)) {
    const buyer = sessions.find(({ userReference }) => userReference === reference);
    const customer = buyer === undefined ? null : customerSince(engine, buyer, id);
    if (customer !== null) await engine.sandbox?.restoreCustomer?.(saved, customer);
  }
}

async function restoredOperations(
  engine: Engine,
  { rows, shift, now }: Saved,
  current: Pick<Current, 'sessions' | 'intents' | 'transactions'>,
): Promise<Current['operations']> {
  const saved = paymentsOf(rows);
  const restored = new Map<string, { readonly id: string; readonly nextAction: NextAction | null }>();
  for (const intent of rows.intents) {
    const operation = rows.provider.operations[intent.operationId];
    const [one, other] = [pairOf(saved, intent), pairOf(current, intent)];
    if (operation === undefined || one === null || other === null || !isToRestore(one, other, rows.tasks)) continue;
    const operationId = restoredOperationId(intent.operationId, shift.id);
    const session = current.sessions.get(intent.sessionId ?? '');
    const customer = session === undefined ? null : customerSince(engine, session, shift.id);
    await engine.sandbox?.restore?.(operation, { operationId, laterMs: shift.laterMs, customer });
    restored.set(intent.id, { id: operationId, nextAction: await pageOf(engine, intent, operationId, now) });
  }
  return restored;
}

/** The page or component of the restored operation, where the buyer's step is one; null otherwise. */
async function pageOf(engine: Engine, intent: Intent, operationId: string, now: Instant): Promise<NextAction | null> {
  const { mode, nextAction, provider } = intent;
  if (nextAction?.type !== 'redirect' && nextAction?.type !== 'provider_component') return null;
  const answer = await providerNamed(engine, provider).lookup({ operationId, mode, now });
  if (answer === null) return null;
  const outcome = withSealedSecret(engine, intent, answer.outcome);
  return outcome.kind === 'requires_action' && outcome.nextAction.type === nextAction.type ? outcome.nextAction : null;
}

type Payments = Pick<Current, 'intents' | 'transactions'>;

const paymentsOf = ({ intents, transactions }: SandboxRows): Payments => ({
  intents: byId(intents),
  transactions: new Map(transactions.map((row) => [row.refid, row])),
});

function pairOf({ intents, transactions }: Payments, { id, txRefid }: Intent) {
  const [intent, transaction] = [intents.get(id), transactions.get(txRefid)];
  return intent === undefined || transaction === undefined ? null : { intent, transaction };
}

/** The whole return as one change. */
function returning(
  engine: Engine,
  scope: Scope,
  { rows, shift, now, current, held }: Saved & { readonly current: Current; readonly held: readonly Task[] },
): { readonly change: Change; readonly restored: number; readonly expired: number } {
  const next = { sessions: new Map(current.sessions), intents: new Map(current.intents) };
  const transactions = new Map(current.transactions);
  const payments = new Map(current.payments);
  const events: ReturnType<typeof sessionEvents>[] = [];
  let [restored, expired] = [0, 0];

  for (const saved of rows.sessions) {
    const before = current.sessions.get(saved.id);
    if (before === undefined || (isTerminal(saved) && saved.version === before.version)) continue;
    next.sessions.set(saved.id, restoredSession(saved, before, shift));
    restored += 1;
  }
  const before = paymentsOf(rows);
  for (const saved of rows.intents) {
    const [one, other] = [pairOf(before, saved), pairOf(current, saved)];
    if (one === null || other === null || !isToRestore(one, other, rows.tasks)) continue;
    const operation = current.operations.get(saved.id) ?? null;
    next.intents.set(saved.id, restoredIntent(saved, other.intent, shift, operation));
    transactions.set(saved.txRefid, restoredTransaction(one.transaction, other.transaction, shift));
  }
  for (const saved of rows.payments) {
    const before = current.payments.get(saved.id);
    if (before !== undefined && next.intents.get(saved.id) !== current.intents.get(saved.id))
      payments.set(saved.id, restoredPayment(saved, before, shift));
  }

  const known = new Set([...rows.sessions, ...rows.intents].map(({ id }) => id));
  for (const intent of current.intents.values()) {
    if (known.has(intent.id) || !isLive(intent)) continue;
    const purchase = purchaseOf(current, intent);
    if (purchase === null) continue;
    const ended = endIntent(purchase, now);
    const step =
      ended.session === null ? followIntent({ purchase: ended, announcements: [], alarms: [] }) : { purchase: ended };
    next.intents.set(intent.id, step.purchase.intent);
    transactions.set(intent.txRefid, step.purchase.transaction);
    if (!('announcements' in step)) continue;
    payments.set(intent.id, step.purchase.payment);
    events.push(purchaseEvents(engine, current.audience, step.purchase, step.announcements, now));
  }
  for (const session of current.sessions.values()) {
    if (known.has(session.id) || isTerminal(session)) continue;
    const overdue = { ...session, heldSince: null, expiresAt: Math.min(session.expiresAt, now - 1) };
    const transition = expireIfDue(overdue, now);
    if (transition === null) continue;
    next.sessions.set(session.id, transition.session);
    events.push(sessionEvents(engine, current.audience, transition.session, transition.announcements, now));
    expired += 1;
  }

  const after = { sessions: next.sessions, intents: next.intents, transactions, payments };
  const change: Change = {
    ...emptyChange(scope, now),
    ...joinEvents(...events),
    sessions: movedRows(current.sessions, next.sessions),
    intents: movedRows(current.intents, next.intents),
    transactions: movedRows(current.transactions, transactions),
    documents: [
      ...[...payments.values()].flatMap((payment) => {
        const before = current.payments.get(payment.id) ?? null;
        return before === payment ? [] : [documentWrite(RAIL_KINDS[payment.kind], payment, before)];
      }),
      ...quoteWrites(current.quotes, rows.quotes, shift, now),
      documentWrite(CUSTOMERS, customersSince(scope, shift.id, now), current.customers),
    ],
    tasks: rows.tasks.map((task) => restoredTask(task, shift)),
    finishes: held.flatMap((task) =>
      task.leaseToken === null ? [] : [{ row: finishTask(task), leaseToken: task.leaseToken }],
    ),
    counters: [...slotsOf(current, after), ...completionsOf(scope, current, after)],
  };
  const deliveries = current.endedDeliveries.map((saved) => ({
    row: restoredDelivery(saved, engine.ids.object(now), now, shift),
    when: 'always' as const,
  }));
  return { change: { ...change, deliveries: [...change.deliveries, ...deliveries] }, restored, expired };
}

const customersSince = (scope: Scope, returnId: string, now: Instant): SandboxCustomers => ({
  ...scope,
  id: CUSTOMERS_ID,
  version: 0,
  createdAt: now,
  returnId,
});

function quoteWrites(
  current: Current['quotes'],
  saved: readonly ExecutableQuote[],
  shift: Shift,
  now: Instant,
): Change['documents'] {
  const known = new Set(saved.map(({ id }) => id));
  // A quote that is past its retention may be deleted already.
  const restored = saved.map((one) => documentWrite(quoteKind, restoredQuote(one, shift), current.get(one.id) ?? null));
  const withdrawn = [...current.values()].flatMap((quote) => {
    const next = known.has(quote.id) ? null : withdrawnQuote(quote, now);
    return next === null ? [] : [documentWrite(quoteKind, next, quote)];
  });
  return [...restored, ...withdrawn];
}

function movedRows<Row extends { readonly version: number }>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
) {
  return [...after].flatMap(([id, row]) => {
    const former = before.get(id);
    return former === undefined || former === row ? [] : [updated(former, row)];
  });
}

type Purchases = Pick<Current, 'sessions' | 'intents' | 'transactions' | 'payments'>;

function purchaseOf({ sessions, transactions, payments }: Purchases, intent: Intent): Purchase | null {
  const transaction = transactions.get(intent.txRefid);
  const session = intent.sessionId === null ? null : sessions.get(intent.sessionId);
  if (transaction === undefined || session === undefined) return null;
  if (session !== null) return { session, intent, transaction };
  const payment = payments.get(intent.id);
  return payment === undefined ? null : { session, payment, intent, transaction };
}

/** Changes of the quota counter by attempts that take or free slots. */
function slotsOf(before: Purchases, after: Purchases): readonly CounterMove[] {
  return [...before.intents.values()].flatMap((intent) => {
    const [one, other] = [purchaseOf(before, intent), purchaseOf(after, after.intents.get(intent.id) ?? intent)];
    if (one === null || other === null) return [];
    return slotMoves(one, other).map((move) => ({ ...move, atLeast: null }));
  });
}

/** Sessions that are no longer completed do not count against the quota. */
function completionsOf(scope: Scope, before: Purchases, after: Purchases): readonly CounterMove[] {
  return [...before.sessions.values()].flatMap((session) => {
    const completedAt = before.transactions.get(session.txRefid ?? '')?.completedAt ?? null;
    const isUndone = session.status === 'completed' && after.sessions.get(session.id)?.status !== 'completed';
    if (!isUndone || completedAt === null) return [];
    return [{ name: completedSessionsCounter(scope, completedAt), delta: '-1', atLeast: null }];
  });
}
