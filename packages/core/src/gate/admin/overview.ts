import type { Engine } from '../../application/engine.js';
import { DAY, type Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import type { PageRequest } from '../../domain/paging/page.js';
import { isHeld, type Session } from '../../domain/session/session.js';
import type { Delivery } from '../../domain/webhook/delivery.js';

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
}

export async function overviewOf({ store, clock }: Engine, scope: Scope): Promise<Overview> {
  const now = clock.now(scope);
  const page: PageRequest = { start: { kind: 'newest' }, limit: COUNTED_MAX };
  const lastDay = { createdAfter: now - DAY, createdBefore: null };
  const sessionFilter = { flow: null, currency: null, userReference: null, ...lastDay };
  const sessionsOf = async (status: Session['status']): Promise<Counted> =>
    counted(await store.count('session', scope, { ...sessionFilter, status }, page, now));
  const deliveriesOf = async (status: Delivery['status'], time: typeof lastDay | typeof ALWAYS): Promise<Counted> =>
    counted(
      await store.count(
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
  };
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
