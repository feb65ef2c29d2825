import {
  type Delivery,
  type Instant,
  type Intent,
  type NextAction,
  type RailPayment,
  type Scope,
  type Session,
  type Transaction,
  type ExecutableQuote,
  hasEnded,
  restoredOperationId,
} from '@gateramp/core/domain';
import { type Engine, findRow } from '@gateramp/core/extension';
import {
  type Audience,
  CUSTOMERS,
  CUSTOMERS_ID,
  type SandboxCustomers,
  customerSince,
  findPayment,
  loadAudience,
  providerNamed,
  quoteKind,
  withSealedSecret,
} from '@gateramp/core/purchases';
import { NO_FILTER, PAYMENTS, SESSIONS, all, idOf, present, refOf, unusedQuotes } from './checkpoints.js';
import type { SandboxControl } from './control.js';
import { type Checkpoint, type SandboxRows, type Shift, isToRestore } from './restored-rows.js';

/** The engine, and the control of its sandbox provider. */
interface Restoring {
  readonly engine: Engine;
  readonly control: SandboxControl;
}

/** The input of a return. */
export interface Saved {
  readonly rows: SandboxRows;
  readonly shift: Shift;
  readonly now: Instant;
}

/** The rows as they are now, by id, and the restored operations of intents. */
export interface Current {
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
export async function loadCurrent(
  { engine, control }: Restoring,
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
  await restoreCustomers({ engine, control }, rows, [...sessions.values()], shift);
  const records = await Promise.all(rows.deliveries.map(({ id }) => store.find('delivery', scope, id)));
  return {
    sessions,
    intents,
    transactions,
    payments,
    operations: await restoredOperations(
      { engine, control },
      { rows, shift, now },
      { sessions, intents, transactions },
    ),
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
  { engine, control }: Restoring,
  { provider }: SandboxRows,
  sessions: readonly Session[],
  { id }: Shift,
) {
  for (const [reference, saved] of Object.entries(provider.customers)) {
    const buyer = sessions.find(({ userReference }) => userReference === reference);
    const customer = buyer === undefined ? null : customerSince(engine, buyer, id);
    if (customer !== null) await control.restoreCustomer?.(saved, customer);
  }
}

async function restoredOperations(
  { engine, control }: Restoring,
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
    await control.restore?.(operation, { operationId, laterMs: shift.laterMs, customer });
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

export const paymentsOf = ({ intents, transactions }: SandboxRows): Payments => ({
  intents: byId(intents),
  transactions: new Map(transactions.map((row) => [row.refid, row])),
});

export function pairOf({ intents, transactions }: Payments, { id, txRefid }: Intent) {
  const [intent, transaction] = [intents.get(id), transactions.get(txRefid)];
  return intent === undefined || transaction === undefined ? null : { intent, transaction };
}
