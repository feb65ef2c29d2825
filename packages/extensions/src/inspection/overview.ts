import {
  DAY,
  type Decimal,
  decimal,
  type Delivery,
  HOUR,
  type Instant,
  isHeld,
  type PageRequest,
  type Scope,
  type Session,
  type Transaction,
} from '@gateramp/core/domain';
import type { Engine } from '@gateramp/core/extension';
import type { CountersOfEach, CreatedWithin, StoreCounts, StoreReads } from '@gateramp/core/ports';

const COUNTED_MAX = 1_000;

/** At most `COUNTED_MAX`; `more`: there may be more than were counted. */
interface Counted {
  readonly count: number;
  readonly more: boolean;
}

/** The numbers of a partner's sessions and deliveries of one mode by state. */
export interface Overview {
  readonly now: Instant;
  /** Sessions of the last 24 hours. `in_progress`: money may be moving. `failed`: open, after a failed attempt. */
  readonly sessions: Readonly<
    Record<'open' | 'in_progress' | 'failed' | 'completed' | 'expired' | 'cancelled', Counted>
  >;
  /**
   * `pending` and `dead`: all that wait for an attempt, and all dead letters. The others are of the last 24 hours: `failed` are
   * those whose last attempt failed, whether retried or dead.
   */
  readonly deliveries: Readonly<Record<'pending' | 'dead' | 'delivered' | 'failed', Counted>>;
  /** The amounts of the counted sessions in progress, by currency. */
  readonly held: readonly Amount[];
}

interface Amount {
  readonly currency: string;
  readonly amount: Decimal;
}

/** A partner's sessions, deliveries and payments of one mode in the current hour and the 23 before it. */
export interface LastDay {
  readonly now: Instant;
  readonly from: Instant;
  /** Oldest first; each counts what was created in it, by its present state. */
  readonly hours: readonly (Readonly<Record<HourlyCount, Counted>> & { readonly from: Instant })[];
  /** Completed payments, of which at most the newest `COUNTED_MAX` are summed. */
  readonly payments: Counted;
  /** Sums of these payments by currency: what buyers paid, and what was delivered to them. */
  readonly volume: readonly { readonly currency: string; readonly received: Decimal; readonly paidOut: Decimal }[];
}

type HourlyCount = 'sessionsCreated' | 'sessionsCompleted' | 'deliveriesDelivered' | 'deliveriesFailed';

export async function overviewOf({ store, clock }: Engine, scope: Scope): Promise<Overview> {
  const counts = store.counts ?? countsByLists(store);
  const now = clock.now(scope);
  const page: PageRequest = { start: { kind: 'newest' }, limit: COUNTED_MAX };
  const lastDay = { createdAfter: now - DAY, createdBefore: null };
  const sessionFilter = { flow: null, currency: null, userReference: null, ...lastDay };
  const sessionsOf = async (status: Session['status']): Promise<Counted> =>
    counted(await counts.count('session', scope, { ...sessionFilter, status }, page, now));
  const deliveriesOf = async (status: Delivery['status'], time: typeof lastDay | typeof ALWAYS): Promise<Counted> =>
    counted(
      await counts.count(
        'delivery',
        scope,
        { target: 'webhook', status, eventType: null, eventId: null, sessionId: null, ...time },
        page,
      ),
    );
  const [open, completed, expired, cancelled, pending, retrying, dead, delivered, failing, given] = await Promise.all([
    store.list('session', scope, { ...sessionFilter, status: 'open' }, page, now),
    sessionsOf('completed'),
    sessionsOf('expired'),
    sessionsOf('cancelled'),
    deliveriesOf('pending', ALWAYS),
    deliveriesOf('retrying', ALWAYS),
    deliveriesOf('dead_lettered', ALWAYS),
    deliveriesOf('delivered', lastDay),
    deliveriesOf('retrying', lastDay),
    deliveriesOf('dead_lettered', lastDay),
  ]);
  const { more } = counted(open.length);
  const inProgress = open.slice(0, COUNTED_MAX).filter(isHeld);
  const ofOpen = (state: 'open' | 'in_progress' | 'failed'): Counted => ({
    count: open.slice(0, COUNTED_MAX).filter((session) => openStateOf(session) === state).length,
    more,
  });
  return {
    now,
    sessions: {
      open: ofOpen('open'),
      in_progress: ofOpen('in_progress'),
      failed: ofOpen('failed'),
      completed,
      expired,
      cancelled,
    },
    deliveries: { pending: both(pending, retrying), dead, delivered, failed: both(failing, given) },
    held: summed(inProgress.map(({ terms }) => terms)),
  };
}

/** The counts of a store that has none of its own. */
function countsByLists(store: StoreReads): StoreCounts {
  const each: CountersOfEach = {
    session: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => store.list('session', scope, { ...filter, ...bounds }, ...rest)),
    delivery: (times, scope, filter, ...rest) =>
      inTurn(times, (bounds) => store.list('delivery', scope, { ...filter, ...bounds }, ...rest)),
  };
  return {
    count: async (noun, ...query) => (await store.list(noun, ...query)).length,
    countEach: (noun, ...args) => each[noun](...args),
  };
}

async function inTurn(
  times: readonly CreatedWithin[],
  list: (bounds: CreatedWithin) => Promise<readonly unknown[]>,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const bounds of times) counts.push((await list(bounds)).length);
  return counts;
}

const HOURS = 24;

/** Reads at most 1,001 rows of each state and hour: a statement for each state, and one for the payments. */
export async function lastDayOf({ store, clock }: Engine, scope: Scope): Promise<LastDay> {
  const counts = store.counts ?? countsByLists(store);
  const now = clock.now(scope);
  const from = now - (now % HOUR) - (HOURS - 1) * HOUR;
  const times = Array.from({ length: HOURS }, (_, hour) => ({
    createdAfter: from + hour * HOUR,
    createdBefore: from + (hour + 1) * HOUR,
  }));
  const page: PageRequest = { start: { kind: 'newest' }, limit: COUNTED_MAX };
  const since = { createdAfter: from, createdBefore: null };
  const sessions = async (status: Session['status'] | null): Promise<readonly Counted[]> => {
    const filter = { status, flow: null, currency: null, userReference: null, ...since };
    return (await counts.countEach('session', times, scope, filter, page, now)).map(counted);
  };
  const deliveries = async (status: Delivery['status']): Promise<readonly Counted[]> => {
    const filter = { target: 'webhook', status, eventType: null, eventId: null, sessionId: null, ...since } as const;
    return (await counts.countEach('delivery', times, scope, filter, page)).map(counted);
  };
  const [paid, created, completed, delivered, retrying, dead] = await Promise.all([
    store.list(
      'transaction',
      scope,
      { status: 'completed', flow: null, sessionId: null, userReference: null, ...since },
      page,
    ),
    sessions(null),
    sessions('completed'),
    deliveries('delivered'),
    deliveries('retrying'),
    deliveries('dead_lettered'),
  ]);
  const hours = times.map(({ createdAfter }, hour) => ({
    from: createdAfter,
    sessionsCreated: created[hour] ?? NONE,
    sessionsCompleted: completed[hour] ?? NONE,
    deliveriesDelivered: delivered[hour] ?? NONE,
    deliveriesFailed: both(retrying[hour] ?? NONE, dead[hour] ?? NONE),
  }));
  return { now, from, hours, payments: counted(paid.length), volume: volumeOf(paid.slice(0, COUNTED_MAX)) };
}

const NONE: Counted = { count: 0, more: false };

function volumeOf(paid: readonly Transaction[]): LastDay['volume'] {
  const sides = (side: 'source' | 'destination'): readonly Amount[] =>
    summed(
      paid.flatMap((one) => {
        const { amount, currency } = one[side];
        return amount === null || currency === null ? [] : [{ amount, currency }];
      }),
    );
  const [received, paidOut] = [sides('source'), sides('destination')];
  const amountOf = (sums: readonly Amount[], currency: string): Decimal =>
    sums.find((one) => one.currency === currency)?.amount ?? '0';
  const currencies = new Set([...received, ...paidOut].map(({ currency }) => currency));
  return [...currencies].toSorted().map((currency) => ({
    currency,
    received: amountOf(received, currency),
    paidOut: amountOf(paidOut, currency),
  }));
}

/** Exact sums by currency, in alphabetical order. */
function summed(amounts: readonly Amount[]): readonly Amount[] {
  const sums = new Map<string, Decimal>();
  for (const { currency, amount } of amounts) sums.set(currency, decimal.add(sums.get(currency) ?? '0', amount));
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

const ALWAYS = { createdAfter: null, createdBefore: null } as const;

/** A page contains one extra row if there are more. */
function counted(rows: number): Counted {
  return { count: Math.min(rows, COUNTED_MAX), more: rows > COUNTED_MAX };
}

function both(one: Counted, other: Counted): Counted {
  const count = one.count + other.count;
  return { count: Math.min(count, COUNTED_MAX), more: one.more || other.more || count > COUNTED_MAX };
}

/** An open session is in progress while money may be moving, and failed between a failed attempt and the next one. */
function openStateOf(session: Session): 'open' | 'in_progress' | 'failed' {
  if (isHeld(session)) return 'in_progress';
  return session.attempts > 0 && session.intentId === null ? 'failed' : 'open';
}
