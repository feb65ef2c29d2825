import { err, ok } from 'neverthrow';
import {
  type AuditContext,
  type Instant,
  type Intent,
  type Scope,
  type Task,
  expireIfDue,
  finishTask,
  isTerminal,
  type ExecutableQuote,
  type Purchase,
  completedSessionsCounter,
  endIntent,
  followIntent,
  isLive,
  slotMoves,
} from '@gateramp/core/domain';
import { type Engine, apply, documentWrite, TryAgain } from '@gateramp/core/extension';
import { type Change, type CounterMove, emptyChange } from '@gateramp/core/ports';
import {
  CUSTOMERS,
  CUSTOMERS_ID,
  RAIL_KINDS,
  type SandboxCustomers,
  joinEvents,
  purchaseEvents,
  quoteKind,
  sessionEvents,
  updated,
} from '@gateramp/core/purchases';
import {
  BUSY,
  type Done,
  HeldTasks,
  NO_CUSTOMERS,
  NO_SANDBOX,
  type Returned,
  TOO_LARGE,
  atRest,
  entryOf,
  loadCheckpoint,
  notAvailable,
  notFound,
  openRows,
  type Sandbox,
} from './checkpoints.js';
import {
  type Shift,
  isToRestore,
  restoredDelivery,
  restoredIntent,
  restoredPayment,
  restoredQuote,
  restoredSession,
  restoredTask,
  restoredTransaction,
  withdrawnQuote,
} from './restored-rows.js';
import { type Current, loadCurrent, pairOf, paymentsOf, type Saved } from './current-rows.js';

/**
 * Returns a sandbox to a checkpoint in one commit. Sessions, payments and pending work are restored, with future instants as far ahead as
 * they were. Ids, event numbers and the clock never go back. Open sessions created since expire, and events announced since are still
 * delivered.
 */
export function returnToCheckpoint(sandbox: Sandbox, scope: Scope, id: string, by: AuditContext): Done<Returned> {
  const { engine, control } = sandbox;
  return atRest(sandbox, scope, async () => {
    if (control?.restore === undefined) return notAvailable(NO_SANDBOX);
    const found = await loadCheckpoint(engine, scope, id);
    if (found === null) return notFound();
    const opened = openRows(engine, found.rows);
    if (opened.isErr()) return err(opened.error);
    const { head } = found;
    const rows = opened.value;
    if (control.restoreCustomer === undefined && Object.keys(rows.provider.customers).length > 0)
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
          return claimed ? loadCurrent({ engine, control }, scope, { rows, head, shift, now }) : null;
        },
        decide: (current) => {
          if (current === null) return { change: null, value: null };
          const decided = returning(engine, scope, {
            rows,
            shift,
            now,
            current,
            held: held.all(),
            provider: control.provider,
          });
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

interface Returning {
  readonly current: Current;
  readonly held: readonly Task[];
  /** The name of the sandbox provider. */
  readonly provider: string;
}

/** The whole return as one change. */
function returning(
  engine: Engine,
  scope: Scope,
  { rows, shift, now, current, held, provider }: Saved & Returning,
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
      documentWrite(CUSTOMERS, { ...customersSince(scope, shift.id, now), provider }, current.customers),
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
