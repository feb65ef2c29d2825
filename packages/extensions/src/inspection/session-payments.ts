import {
  type FailureCode,
  isInReview,
  type Scope,
  type Session,
  sessionStatusAt,
  type Transaction,
} from '@gateramp/core/domain';
import type { Engine } from '@gateramp/core/extension';
import type { SessionFilter } from '@gateramp/core/ports';

/**
 * The states of a session's payment. `declined`: the buyer, the payment or the payout was refused; `abandoned`: the attempt was
 * cancelled or not finished in time; `failed`: it failed for another reason. `disputed`: the bank has taken a part back, and the dispute is
 * open; `charged_back`: it has taken all back, or keeps what it took; `dispute_won`: it has given everything back. `completed`: paid, also
 * if the session had ended before.
 */
export const SESSION_PAYMENTS = [
  'requires_action',
  'in_review',
  'processing',
  'declined',
  'failed',
  'abandoned',
  'completed',
  'partly_refunded',
  'refunded',
  'disputed',
  'charged_back',
  'dispute_won',
] as const;

/** One of `SESSION_PAYMENTS`. */
export type SessionPayment = (typeof SESSION_PAYMENTS)[number];

interface PaymentQuery {
  readonly payment: SessionPayment;
  /** Which of these sessions. Null does not filter. */
  readonly filter: SessionFilter;
  /** `next` of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Sessions of one state of payment, the newest attempt first. */
export interface PaymentPage {
  readonly ids: readonly string[];
  /** Where the next page begins; null at the end. A page may be empty although others follow. */
  readonly next: string | null;
}

/** Reads the payments of sessions. */
export interface SessionPaymentReads {
  /** The state of the payment of each session; null if nothing was attempted. */
  sessionPayments(scope: Scope, sessionIds: readonly string[]): Promise<readonly (SessionPayment | null)[]>;
  /** The state of the payment of each transaction; null if there is no such transaction. */
  transactionPayments(scope: Scope, refids: readonly string[]): Promise<readonly (SessionPayment | null)[]>;
  /** Lists sessions by the state of their payment. Reads at most 500 transactions. */
  sessionsByPayment(scope: Scope, query: PaymentQuery): Promise<PaymentPage>;
}

export function sessionPaymentReads(engine: Engine): SessionPaymentReads {
  return {
    sessionPayments: (scope, sessionIds) =>
      Promise.all(
        sessionIds.map(async (id) => {
          const session = await engine.store.find('session', scope, id);
          const decisive = session === null ? null : await decisiveOf(engine, session);
          return decisive === null ? null : paymentOf(engine, decisive);
        }),
      ),
    transactionPayments: (scope, refids) =>
      Promise.all(
        refids.map(async (refid) => {
          const transaction = await engine.store.find('transaction', scope, refid);
          return transaction === null ? null : paymentOf(engine, transaction);
        }),
      ),
    sessionsByPayment: (scope, query) => sessionsByPayment(engine, scope, query),
  };
}

/** The transaction that decides about a session: the one that was paid, else its newest. */
async function decisiveOf({ store, policy }: Engine, session: Session): Promise<Transaction | null> {
  if (session.attempts === 0) return null;
  if (session.txRefid !== null) return store.find('transaction', session, session.txRefid);
  const page = { start: { kind: 'newest' }, limit: policy.attemptsPerSessionMax } as const;
  const attempts = await store.list('transaction', session, { ...ANY, sessionId: session.id }, page);
  return attempts.find(({ status }) => PAID.has(status)) ?? attempts[0] ?? null;
}

const ANY = {
  status: null,
  flow: null,
  sessionId: null,
  userReference: null,
  createdAfter: null,
  createdBefore: null,
} as const;

const PAID: ReadonlySet<Transaction['status']> = new Set(['completed', 'refunded', 'charged_back']);

async function paymentOf({ store }: Engine, transaction: Transaction): Promise<SessionPayment> {
  const { status, disputes = [], refunds = [], failure } = transaction;
  if (status === 'pending' || status === 'processing') {
    const intent = await store.find('intent', transaction, transaction.intentId);
    if (isInReview(intent?.nextAction ?? null)) return 'in_review';
    return intent?.status === 'requires_action' ? 'requires_action' : 'processing';
  }
  if (status === 'failed') return failure === null ? 'failed' : (FAILED_AS[failure.code] ?? 'failed');
  if (status === 'charged_back' && disputes.length > 0 && disputes.every((one) => one.status === 'won'))
    return 'dispute_won';
  if (status === 'charged_back' || disputes.some((one) => one.status === 'lost')) return 'charged_back';
  if (disputes.some((one) => one.status === 'open')) return 'disputed';
  if (status === 'refunded') return 'refunded';
  return refunds.some((one) => one.status === 'succeeded') ? 'partly_refunded' : 'completed';
}

const FAILED_AS: Partial<Record<FailureCode, 'declined' | 'abandoned'>> = {
  payment_declined: 'declined',
  payment_authentication_failed: 'declined',
  insufficient_funds: 'declined',
  kyc_rejected: 'declined',
  sanctions_blocked: 'declined',
  limit_exceeded: 'declined',
  payout_rejected: 'declined',
  payment_expired: 'abandoned',
  kyc_abandoned: 'abandoned',
  quote_expired: 'abandoned',
  deposit_not_received: 'abandoned',
};

/** The statuses that transactions of each state have. */
const STATUSES: Readonly<Record<SessionPayment, readonly Transaction['status'][]>> = {
  requires_action: ['pending', 'processing'],
  in_review: ['pending', 'processing'],
  processing: ['pending', 'processing'],
  declined: ['failed'],
  failed: ['failed'],
  abandoned: ['failed'],
  completed: ['completed'],
  partly_refunded: ['completed'],
  refunded: ['refunded'],
  disputed: ['completed', 'refunded'],
  charged_back: ['completed', 'refunded', 'charged_back'],
  dispute_won: ['charged_back'],
};

const READ_AT_ONCE = 100;
const READ_MAX = 500;

async function sessionsByPayment(
  engine: Engine,
  scope: Scope,
  { payment, filter, after, limit }: PaymentQuery,
): Promise<PaymentPage> {
  const { store, clock } = engine;
  const statuses = STATUSES[payment];
  const [status, ...others] = statuses;
  const { flow, userReference, createdAfter } = filter;
  const isWanted = async (transaction: Transaction): Promise<boolean> => {
    const { sessionId } = transaction;
    if (sessionId === null || !statuses.includes(transaction.status)) return false;
    if ((await paymentOf(engine, transaction)) !== payment) return false;
    const session = await store.find('session', scope, sessionId);
    if (session === null || !passes(session, filter, clock.now(scope))) return false;
    // A session is listed once, by the attempt that decides.
    return (await decisiveOf(engine, session))?.refid === transaction.refid;
  };
  const ids: string[] = [];
  let start = after;
  for (let read = 0; read < READ_MAX; read += READ_AT_ONCE) {
    const rows = await store.list(
      'transaction',
      scope,
      { ...ANY, status: others.length === 0 ? (status ?? null) : null, flow, userReference, createdAfter },
      { start: start === null ? { kind: 'newest' } : { kind: 'after', id: start }, limit: READ_AT_ONCE },
    );
    const page = rows.slice(0, READ_AT_ONCE);
    const wanted = await Promise.all(page.map(isWanted));
    for (const [nth, { sessionId, refid }] of page.entries()) {
      start = refid;
      if (wanted[nth] === true && sessionId !== null) ids.push(sessionId);
      if (ids.length === limit) return { ids, next: nth < rows.length - 1 ? start : null };
    }
    if (rows.length <= READ_AT_ONCE) return { ids, next: null };
  }
  return { ids, next: start };
}

function passes(session: Session, filter: SessionFilter, now: number): boolean {
  const { status, flow, currency, userReference, createdAfter, createdBefore } = filter;
  return (
    (status === null || sessionStatusAt(session, now) === status) &&
    (flow === null || session.terms.flow === flow) &&
    (currency === null || session.terms.currency.toUpperCase() === currency) &&
    (userReference === null || session.userReference === userReference) &&
    (createdAfter === null || session.createdAt >= createdAfter) &&
    (createdBefore === null || session.createdAt < createdBefore)
  );
}
