import {
  DAY,
  type Delivery,
  HOUR,
  type Instant,
  type PageRequest,
  type Scope,
  type Session,
} from '@gateramp/core/domain';
import type { Engine } from '@gateramp/core/extension';
import { type Counted, counted, COUNTED_MAX, countsOf, together } from './counts.js';

/** The numbers of a partner's deliveries of one mode by state. */
export interface Overview {
  readonly now: Instant;
  /**
   * `pending` and `dead`: all that wait for an attempt, and all dead letters. The others are of the last 24 hours: `failed` are
   * those whose last attempt failed, whether retried or dead.
   */
  readonly deliveries: Readonly<Record<'pending' | 'dead' | 'delivered' | 'failed', Counted>>;
}

/** A partner's sessions and deliveries of one mode in the current hour and the 23 before it. */
export interface LastDay {
  readonly now: Instant;
  readonly from: Instant;
  /** Oldest first; each counts what was created in it, by its present state. */
  readonly hours: readonly (Readonly<Record<HourlyCount, Counted>> & { readonly from: Instant })[];
}

type HourlyCount = 'sessionsCreated' | 'sessionsCompleted' | 'deliveriesDelivered' | 'deliveriesFailed';

export async function overviewOf({ store, clock }: Engine, scope: Scope): Promise<Overview> {
  const counts = countsOf(store);
  const now = clock.now(scope);
  const lastDay = { createdAfter: now - DAY, createdBefore: null };
  const deliveriesOf = async (status: Delivery['status'], time: typeof lastDay | typeof ALWAYS): Promise<Counted> =>
    counted(
      await counts.count(
        'delivery',
        scope,
        { target: 'webhook', status, eventType: null, eventId: null, sessionId: null, ...time },
        PAGE,
      ),
    );
  const [pending, retrying, dead, delivered, failing, given] = await Promise.all([
    deliveriesOf('pending', ALWAYS),
    deliveriesOf('retrying', ALWAYS),
    deliveriesOf('dead_lettered', ALWAYS),
    deliveriesOf('delivered', lastDay),
    deliveriesOf('retrying', lastDay),
    deliveriesOf('dead_lettered', lastDay),
  ]);
  return {
    now,
    deliveries: {
      pending: together([pending, retrying]),
      dead,
      delivered,
      failed: together([failing, given]),
    },
  };
}

const PAGE: PageRequest = { start: { kind: 'newest' }, limit: COUNTED_MAX };

const HOURS = 24;

/** A statement for each state. */
export async function lastDayOf({ store, clock }: Engine, scope: Scope): Promise<LastDay> {
  const counts = countsOf(store);
  const now = clock.now(scope);
  const from = now - (now % HOUR) - (HOURS - 1) * HOUR;
  const times = Array.from({ length: HOURS }, (_, hour) => ({
    createdAfter: from + hour * HOUR,
    createdBefore: from + (hour + 1) * HOUR,
  }));
  const since = { createdAfter: from, createdBefore: null };
  const sessions = async (status: Session['status'] | null): Promise<readonly Counted[]> => {
    const filter = { status, flow: null, currency: null, userReference: null, ...since };
    return (await counts.countEach('session', times, scope, filter, PAGE, now)).map(counted);
  };
  const deliveries = async (status: Delivery['status']): Promise<readonly Counted[]> => {
    const filter = { target: 'webhook', status, eventType: null, eventId: null, sessionId: null, ...since } as const;
    return (await counts.countEach('delivery', times, scope, filter, PAGE)).map(counted);
  };
  const [created, completed, delivered, retrying, dead] = await Promise.all([
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
    deliveriesFailed: together([retrying[hour] ?? NONE, dead[hour] ?? NONE]),
  }));
  return { now, from, hours };
}

const NONE: Counted = { count: 0, more: false };
const ALWAYS = { createdAfter: null, createdBefore: null } as const;
