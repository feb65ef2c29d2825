import {
  DAY,
  type Decimal,
  decimal,
  type Instant,
  type PageStart,
  type Scope,
  SESSION_STATUSES,
  type SessionStatus,
  type Transaction,
  TRANSACTION_STATUSES,
} from '@gateramp/core/domain';
import type { Engine } from '@gateramp/core/extension';
import type { CreatedWithin, StoreReads, TransactionTotal } from '@gateramp/core/ports';
import { type Counted, counted, COUNTED_MAX, countsOf, together } from './counts.js';

type TransactionStatus = Transaction['status'];

/** The last 24 hours, or the last 30 days. */
export type Period = 'day' | 'month';

const DAYS: Readonly<Record<Period, number>> = { day: 1, month: 30 };

export function periodProblems(period: unknown): readonly string[] {
  return period === 'day' || period === 'month' ? [] : ["period must be 'day' or 'month'"];
}

/** A partner's sessions, payments and money of one mode that were created in a period, by their present state. */
export interface Totals {
  readonly now: Instant;
  readonly from: Instant;
  readonly sessions: Readonly<Record<SessionStatus, Counted>>;
  readonly payments: Readonly<Record<TransactionStatus, Counted>>;
  /** Exact sums, in the alphabetical order of the currencies. */
  readonly money: readonly MoneyTotal[];
}

/** Amounts of the counted payments in one currency. */
export interface MoneyTotal {
  readonly currency: string;
  /** What buyers paid for completed payments. */
  readonly received: Decimal;
  /** What was delivered to them. */
  readonly delivered: Decimal;
  /** What buyers pay for payments that are pending or processing. */
  readonly inProgress: Decimal;
  /** What buyers had paid for payments that were refunded or charged back in full. */
  readonly returned: Decimal;
}

/** One statement for each status of sessions, and one for the payments of each day. */
export async function totalsOf({ store, clock }: Engine, scope: Scope, period: Period): Promise<Totals> {
  const now = clock.now(scope);
  const from = now - DAYS[period] * DAY;
  const times = Array.from({ length: DAYS[period] }, (_, day) => ({
    createdAfter: from + day * DAY,
    // The newest day includes this millisecond.
    createdBefore: from + (day + 1) * DAY + (day + 1 === DAYS[period] ? 1 : 0),
  }));
  const filter = { flow: null, currency: null, userReference: null, createdAfter: from, createdBefore: null };
  const page = { start: { kind: 'newest' }, limit: COUNTED_MAX } as const;
  const counts = countsOf(store);
  const sessionsOf = async (status: SessionStatus): Promise<[SessionStatus, Counted]> => {
    const days = await counts.countEach('session', times, scope, { ...filter, status }, page, now);
    return [status, together(days.map(counted))];
  };
  const [sessions, payments] = await Promise.all([
    Promise.all(SESSION_STATUSES.map(sessionsOf)),
    paymentsIn(store, scope, times),
  ]);
  return {
    now,
    from,
    sessions: recordOf(sessions),
    payments: recordOf(TRANSACTION_STATUSES.map((status) => [status, countOf(payments, status)])),
    money: moneyOf(payments),
  };
}

/** The newest payments first, until there are more than are counted. */
async function paymentsIn(
  store: StoreReads,
  scope: Scope,
  days: readonly CreatedWithin[],
): Promise<readonly TransactionTotal[]> {
  const totals = store.counts?.totals ?? totalsByLists(store);
  const found: (readonly TransactionTotal[])[] = [];
  let left = COUNTED_MAX + 1;
  for (const day of days.toReversed()) {
    if (left <= 0) break;
    const ofDay = await totals(scope, day, left);
    found.push(ofDay);
    left -= numberOf(ofDay);
  }
  return found.flat();
}

const LISTED_AT_ONCE = 1_000;
const OF_ANY = { status: null, flow: null, sessionId: null, userReference: null } as const;

function totalsByLists(store: StoreReads) {
  return async (scope: Scope, within: CreatedWithin, limit: number): Promise<readonly TransactionTotal[]> => {
    const found = new Map<string, TransactionTotal>();
    let after: string | null = null;
    for (let left = limit; ; left -= LISTED_AT_ONCE) {
      const size = Math.min(LISTED_AT_ONCE, left);
      const start: PageStart = after === null ? { kind: 'newest' } : { kind: 'after', id: after };
      const rows: readonly Transaction[] = await store.list(
        'transaction',
        scope,
        { ...OF_ANY, ...within },
        { start, limit: size },
      );
      for (const row of rows.slice(0, size)) addTo(found, row);
      after = rows[size - 1]?.refid ?? null;
      if (rows.length <= size || left <= size) return [...found.values()];
      // A store may read in the thread that serves requests: they get a turn between two pages.
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
}

function addTo(found: Map<string, TransactionTotal>, { status, source, destination }: Transaction): void {
  const key = JSON.stringify([status, source.currency, destination.currency]);
  const { count, paid, delivered } = found.get(key) ?? { count: 0, paid: '0', delivered: '0' };
  found.set(key, {
    status,
    sourceCurrency: source.currency,
    destinationCurrency: destination.currency,
    count: count + 1,
    paid: decimal.add(paid, source.amount ?? '0'),
    delivered: decimal.add(delivered, destination.amount ?? '0'),
  });
}

function recordOf<Key extends string>(entries: readonly (readonly [Key, Counted])[]): Readonly<Record<Key, Counted>> {
  // The cast holds because the callers name every key.
  return Object.fromEntries(entries) as Record<Key, Counted>;
}

function countOf(payments: readonly TransactionTotal[], status: TransactionStatus): Counted {
  const { more } = counted(numberOf(payments));
  return { count: counted(numberOf(payments.filter((one) => one.status === status))).count, more };
}

function numberOf(payments: readonly TransactionTotal[]): number {
  return payments.reduce((sum, { count }) => sum + count, 0);
}

type Sum = Exclude<keyof MoneyTotal, 'currency'>;

/** The sum that a payment of each status is part of, by what the buyer pays. */
const PAID: Readonly<Record<TransactionStatus, Sum | null>> = {
  pending: 'inProgress',
  processing: 'inProgress',
  completed: 'received',
  failed: null,
  refunded: 'returned',
  charged_back: 'returned',
};

function moneyOf(payments: readonly TransactionTotal[]): readonly MoneyTotal[] {
  const sums = new Map<string, MoneyTotal>();
  const add = (of: string | null, sum: Sum | null, amount: Decimal): void => {
    if (of === null || sum === null || decimal.equals(amount, '0')) return;
    const currency = of.toUpperCase();
    const known = sums.get(currency) ?? { currency, received: '0', delivered: '0', inProgress: '0', returned: '0' };
    sums.set(currency, { ...known, [sum]: decimal.add(known[sum], amount) });
  };
  for (const { status, sourceCurrency, destinationCurrency, paid, delivered } of payments) {
    add(sourceCurrency, PAID[status], paid);
    if (status === 'completed') add(destinationCurrency, 'delivered', delivered);
  }
  return [...sums.values()].toSorted((one, other) => (one.currency < other.currency ? -1 : 1));
}
