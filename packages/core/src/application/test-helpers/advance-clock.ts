import { DAY, type Instant, SECOND } from '../../domain/instant.js';
import { type Intent, isInReview, isLive } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { isTerminal, type Session } from '../../domain/session/session.js';
import type { AdjustableClock } from '../../ports/edge.js';
import type { DueItem, SandboxDue } from '../../ports/store.js';
import type { Engine } from '../engine.js';
import { loadSession } from '../sessions/read-sessions.js';
import { type SteppedClock, WHOLE_MODE, type Worker } from '../work/worker.js';

/** After this time an advance starts nothing new and responds with its progress; always before the request times out. */
const ADVANCE_MAX = 8 * SECOND;

/** A piece of work that ran while the test clock moved. */
export interface Fired {
  readonly type: DueItem['kind'];
  readonly id: string;
}

/** The time that the test clock reached, in epoch milliseconds, and the work that ran, in order. */
export interface Advanced {
  readonly now: Instant;
  readonly fired: readonly Fired[];
}

/** An advance to the end of a session runs at most this many items, and moves the clock at most this far. */
const TO_END_ITEMS_MAX = 500;
const TO_END_SPAN_MAX = 90 * DAY;

/** A year before timestamps and the twelve digits of an id overflow, so that later due times still fit. */
const TEST_CLOCK_END = Date.UTC(9999, 0, 1);

/** A clock of test mode and the work that is due by it. */
export interface SteppableClock {
  readonly which: SteppedClock;
  /** Reads what other processes have moved, so that two advances add up. */
  refresh(): Promise<void>;
  now(): Instant;
  advanceTo(instant: Instant): Promise<void>;
  /** The next due item, and when it is due by this clock. */
  next(): Promise<{ readonly item: DueItem | SandboxDue; readonly dueAt: Instant } | null>;
}

/** The clock of one partner's sandbox. */
export function sandboxClock({ clock }: Engine, worker: Worker, partnerId: string): SteppableClock {
  return {
    which: partnerId,
    refresh: () => clock.refresh(),
    now: () => clock.now({ partnerId, mode: 'test' }),
    advanceTo: (instant) => clock.advanceTo(partnerId, instant),
    next: async () => {
      const item = await worker.nextOfSandbox(partnerId);
      return item === null ? null : { item, dueAt: item.dueAt };
    },
  };
}

/** The clock of test mode, which moves every sandbox. */
export function modeClock({ clock }: Engine, worker: Worker, testClock: AdjustableClock): SteppableClock {
  return {
    which: WHOLE_MODE,
    refresh: () => clock.refresh(),
    now: () => clock.ofMode('test'),
    advanceTo: (instant) => testClock.advanceTo(instant),
    next: async () => {
      const next = await worker.nextWork('test');
      return next === null ? null : { item: next.item, dueAt: clock.ofMode('test') + next.delayMs };
    },
  };
}

/**
 * Moves a clock forward and runs all work at the instant it is due, claiming each next item directly. Running attempts of the same clock
 * are awaited; live mode and other sandboxes are not affected. When its time limit is reached it stops at the instant of the last item;
 * `now` is the time reached, and another call continues from there. Concurrent calls are serialized: otherwise they would step past the
 * leases of each other's attempts and repeat them, and one span would swallow the other.
 */
export async function advanceClock(
  engine: Engine,
  worker: Worker,
  clock: SteppableClock,
  byMs: number,
): Promise<Advanced> {
  return worker.stepping.take(clock.which, () => {
    const limit = patience(engine);
    const stepped = worker.whilePaused(clock.which, () => step(worker, clock, { byMs, isLate: limit.isLate }));
    return stepped.finally(limit.end);
  });
}

interface Steps {
  readonly byMs: number;
  readonly isLate: () => boolean;
}

async function step(worker: Worker, clock: SteppableClock, { byMs, isLate }: Steps): Promise<Advanced> {
  await clock.refresh();
  const target = Math.min(clock.now() + byMs, TEST_CLOCK_END);
  const fired: Fired[] = [];
  while (!isLate()) {
    const next = await clock.next();
    if (next === null || next.dueAt > target) {
      await clock.advanceTo(Math.max(target, clock.now()));
      break;
    }
    await runNext(worker, clock, next, fired);
  }
  return { now: clock.now(), fired };
}

type Next = NonNullable<Awaited<ReturnType<SteppableClock['next']>>>;

async function runNext(worker: Worker, clock: SteppableClock, { item, dueAt }: Next, fired: Fired[]): Promise<void> {
  await clock.advanceTo(Math.max(dueAt, clock.now()));
  if (await worker.runOne(item)) fired.push({ type: item.kind, id: item.id });
  else await clock.advanceTo(clock.now() + 1);
}

/** Why an advance to the end of a session stopped. */
export type StopReason =
  /** The session has ended, and none of its deliveries waits for another attempt. */
  | 'ended'
  /** The buyer has to do something first: begin a payment, or the step that the payment waits for. */
  | 'waits_for_buyer'
  /** Advancing the clock has no further effect: the rest waits for an operator, another process or a report of the provider. */
  | 'nothing_due'
  /** The limit of one call was reached; another call continues. */
  | 'limit';

/** How far an advance to the end of a session came. */
export interface AdvancedToEnd extends Advanced {
  readonly session: Session;
  readonly stopped: StopReason;
}

/**
 * Runs due items one after another, each at the instant it is due, until the session has ended and none of its deliveries is pending. Other
 * items that become due run too, in order. Null if there is no such session.
 */
export async function advanceToEnd(
  engine: Engine,
  worker: Worker,
  clock: SteppableClock,
  scope: Scope,
  sessionId: string,
): Promise<AdvancedToEnd | null> {
  return worker.stepping.take(clock.which, () => {
    const limit = patience(engine);
    const stepped = worker.whilePaused(clock.which, async () => {
      await clock.refresh();
      const [began, fired] = [clock.now(), [] as Fired[]];
      for (;;) {
        const session = await loadSession(engine, scope, sessionId);
        if (session === null) return null;
        const next = await clock.next();
        const stopped =
          (await reasonToStop(engine, session)) ??
          (next === null ? 'nothing_due' : null) ??
          (limit.isLate() || fired.length >= TO_END_ITEMS_MAX ? 'limit' : null) ??
          ((next?.dueAt ?? began) > Math.min(began + TO_END_SPAN_MAX, TEST_CLOCK_END) ? 'limit' : null);
        if (stopped !== null || next === null)
          return { now: clock.now(), fired, session, stopped: stopped ?? 'nothing_due' };
        await runNext(worker, clock, next, fired);
      }
    });
    return stepped.finally(limit.end);
  });
}

/** Null while advancing the clock moves the session forward. */
async function reasonToStop({ store }: Engine, session: Session): Promise<StopReason | null> {
  const scope: Scope = session;
  if (!isTerminal(session)) {
    const intent = session.intentId === null ? null : await store.find('intent', scope, session.intentId);
    return intent === null || !isLive(intent) || waitsForBuyer(intent) ? 'waits_for_buyer' : null;
  }
  const pages = await Promise.all(
    (['pending', 'retrying'] as const).map((status) =>
      store.list(
        'delivery',
        scope,
        { ...DELIVERIES_OF, sessionId: session.id, status },
        { start: { kind: 'newest' }, limit: 1 },
      ),
    ),
  );
  return pages.flat().length === 0 ? 'ended' : null;
}

const DELIVERIES_OF = {
  target: null,
  eventType: null,
  eventId: null,
  createdAfter: null,
  createdBefore: null,
} as const;

/** The provider detects a bank transfer and ends a review by itself. */
function waitsForBuyer({ status, stepTaskId, nextAction }: Intent): boolean {
  return (
    status === 'requires_action' &&
    stepTaskId === null &&
    nextAction?.type !== 'bank_transfer' &&
    !isInReview(nextAction)
  );
}

/** Independent of the wall clock, which in tests moves with the clock that is advanced. */
function patience({ deadlines, policy }: Engine): { readonly isLate: () => boolean; readonly end: () => void } {
  let isLate = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  void deadlines.within(ended, Math.min(ADVANCE_MAX, 0.8 * policy.requestTimeout)).then((waited) => {
    isLate = waited.kind === 'late';
  });
  return { isLate: () => isLate, end: () => end() };
}

/** Work of a sandbox that is not done yet. */
export interface SandboxWork {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  /** In the time of the sandbox; in the past if it runs at the next opportunity. */
  readonly dueAt: Instant;
  /** The event type of a delivery, or the kind of a task. */
  readonly what: string;
  /** The session of a delivery, null if its event has none; what a task is about. */
  readonly subjectId: string | null;
  /** Attempts so far. */
  readonly attempts: number;
}

/** What is due next in a sandbox, in the order in which an advance runs it; at most `limit`. */
export async function sandboxWork(
  { store, clock }: Engine,
  scope: Scope,
  limit: number,
): Promise<readonly SandboxWork[]> {
  const { partnerId } = scope;
  await clock.refresh();
  const items = await store.sandboxesDue({ ahead: new Map([[partnerId, clock.ahead().get(partnerId) ?? 0]]), limit });
  const found = await Promise.all(
    items.map(async ({ kind, id, dueAt }): Promise<SandboxWork | null> => {
      if (kind === 'task') {
        const task = await store.find('task', scope, id);
        if (task === null) return null;
        const { kind: what, subjectId, failures } = task;
        return { kind, id, dueAt, what, subjectId, attempts: failures };
      }
      const record = await store.find('delivery', scope, id);
      if (record === null) return null;
      const { delivery, attempts } = record;
      return { kind, id, dueAt, what: delivery.eventType, subjectId: delivery.sessionId, attempts: attempts.length };
    }),
  );
  // One that has been done since is gone.
  return found.filter((one) => one !== null);
}
