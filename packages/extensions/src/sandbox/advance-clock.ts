import {
  DAY,
  type Instant,
  type Intent,
  SECOND,
  type Scope,
  type Session,
  isInReview,
  isTerminal,
  isLive,
} from '@gateramp/core/domain';
import { type Engine, testWorkOf, type SteppedWork } from '@gateramp/core/extension';
import type { AdjustableClock, DueItem, ProviderDue, ProviderTestWork } from '@gateramp/core/ports';
import { loadSession } from '@gateramp/core/purchases';
import { turnsOf } from './turns.js';

/** After this time an advance starts nothing new and responds with its progress; always before the request times out. */
const ADVANCE_MAX = 8 * SECOND;

/** A piece of work that ran while the test clock moved. */
export interface Fired {
  /** `operation`: work of a provider. */
  readonly type: DueItem['kind'] | 'operation';
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

/** The engine whose clocks are stepped, and its worker. */
export interface Stepper {
  readonly engine: Engine;
  readonly worker: SteppedWork;
}

/** A clock of test mode and the work that is due by it. */
export interface SteppableClock {
  /** Whose sandbox it is; null for all of test mode. */
  readonly partnerId: string | null;
  /** Reads what other processes have moved, so that two advances add up. */
  refresh(): Promise<void>;
  now(): Instant;
  advanceTo(instant: Instant): Promise<void>;
  /** The next due item, and when it is due by this clock. `target`: where the advance ends, unless it ends with a session. */
  next(target?: Instant): Promise<Next | null>;
}

interface Next extends Fired {
  readonly dueAt: Instant;
  /** False if it was not due after all, or another worker has it. */
  readonly run: () => Promise<boolean>;
}

/** The clock of one partner's sandbox. */
export function sandboxClock({ engine, worker }: Stepper, partnerId: string): SteppableClock {
  const { clock } = engine;
  const now = (): Instant => clock.now({ partnerId, mode: 'test' });
  const operations = new SteppedOperations(engine, now);
  return {
    partnerId,
    refresh: () => clock.refresh(),
    now,
    advanceTo: (instant) => clock.advanceTo(partnerId, instant),
    next: async (target) => {
      const [item, operation] = await Promise.all([
        worker.nextOfSandbox(partnerId),
        operations.next([partnerId], target),
      ]);
      if (item === null) return operation;
      const { kind: type, id, dueAt } = item;
      return earlier({ type, id, dueAt, run: () => worker.runOne(item) }, operation);
    },
  };
}

/** The clock of test mode, which moves every sandbox. */
export function modeClock({ engine, worker }: Stepper, testClock: AdjustableClock): SteppableClock {
  const { clock } = engine;
  const now = (): Instant => clock.ofMode('test');
  const operations = new SteppedOperations(engine, now);
  return {
    partnerId: null,
    refresh: () => clock.refresh(),
    now,
    advanceTo: (instant) => testClock.advanceTo(instant),
    next: async (target) => {
      const [next, operation] = await Promise.all([
        worker.nextWork('test'),
        operations.next([undefined, ...clock.ahead().keys()], target),
      ]);
      if (next === null) return operation;
      const { item, delayMs } = next;
      return earlier(
        { type: item.kind, id: item.id, dueAt: now() + delayMs, run: () => worker.runOne(item) },
        operation,
      );
    },
  };
}

function earlier(one: Next, other: Next | null): Next {
  return other === null || one.dueAt <= other.dueAt ? one : other;
}

/** A poll that changed nothing is repeated after this fraction of the time that the advance has covered so far. */
const POLL_AGAIN_AFTER = 1 / 4;

/**
 * The work of providers while a clock is stepped. An operation that waits, such as for a block of a chain, is polled every few seconds:
 * thousands of steps for a day. The interval between polls of an unchanged operation therefore grows with the time covered. Each is polled
 * again at the end of an advance, so that passed deadlines have taken effect.
 */
class SteppedOperations {
  private readonly polled = new Map<string, { readonly what: string; readonly at: Instant; readonly again: Instant }>();
  private began: Instant | null = null;

  constructor(
    private readonly engine: Pick<Engine, 'providers' | 'clock' | 'deadlines'>,
    private readonly now: () => Instant,
  ) {}

  /** The next item of these partners (undefined: of all), by the clock that is stepped. */
  async next(partnerIds: readonly (string | undefined)[], target = Number.POSITIVE_INFINITY): Promise<Next | null> {
    const { clock, providers } = this.engine;
    const began = (this.began ??= this.now());
    // Operations already polled can be postponed past their due time, so one more than their number includes the next other one.
    const limit = this.polled.size + 1;
    const listed = async (work: ProviderTestWork, partnerId: string | undefined) =>
      (await work.due({ partnerId, limit })).map((due) => ({ due, work }));
    const found = await Promise.all(
      providers.flatMap((provider) => {
        const work = testWorkOf(this.engine, provider);
        return work === null ? [] : partnerIds.map((partnerId) => listed(work, partnerId));
      }),
    );
    return found.flat().reduce<Next | null>((next, { due, work }) => {
      const { id, partnerId, what } = due;
      const ofSandbox = (): Instant => clock.now({ partnerId, mode: 'test' });
      const dueAt = due.dueAt - (ofSandbox() - this.now());
      const run = (): Promise<boolean> => {
        const at = this.now();
        this.polled.set(id, { what, at, again: Math.ceil(at + (at - began) * POLL_AGAIN_AFTER) });
        return work.run(id, ofSandbox());
      };
      return earlier({ type: 'operation', id, dueAt: Math.max(dueAt, this.polledAfter(due, target)), run }, next);
    }, null);
  }

  private polledAfter({ id, what }: ProviderDue, target: Instant): Instant {
    const polled = this.polled.get(id);
    if (polled?.what !== what) return 0;
    return polled.at < target ? Math.min(polled.again, target) : polled.again;
  }
}

/** The hold of a process that dies while it steps a sandbox ends after this time. It is extended before each step. */
const HOLD = 15 * SECOND;

/** How often to check whether attempts of other processes have ended. */
const POLL_MS = 20;

/** One advance: how long it may take, and whether this process may still step the clock. */
interface Stepping {
  readonly isLate: () => boolean;
  /**
   * Call it before each step. `again`: other processes may have worked since the last step, and all they had begun has ended. `lost`:
   * another process steps this clock, or what others have begun takes too long.
   */
  readonly keep: () => Promise<'kept' | 'again' | 'lost'>;
}

/** Another process is stepping the sandbox. */
export class SteppedElsewhere extends Error {
  override name = 'SteppedElsewhere';

  constructor() {
    super('The test clock is already being advanced by another process. Try again when that has finished.');
  }
}

/** How many of the operations that are due next are checked, of each provider. */
const CHECKED_MAX = 256;

async function isOperationRunning(engine: Engine, partnerId: string, now: Instant): Promise<boolean> {
  const due = await Promise.all(
    engine.providers.map(
      async (provider) => testWorkOf(engine, provider)?.due({ partnerId, limit: CHECKED_MAX }) ?? [],
    ),
  );
  return due.flat().some(({ isRunning, dueAt }) => isRunning === true && dueAt > now);
}

/**
 * Takes the clock from the workers and other steps of this process, and of all others if they share the store. Throws `SteppedElsewhere` if
 * another process has it.
 */
export async function stepped<Value>(
  { engine, worker }: Stepper,
  clock: SteppableClock,
  work: (stepping: Stepping) => Promise<Value>,
): Promise<Value> {
  const { holds, ids, deadlines } = engine;
  const { partnerId } = clock;
  return turnsOf(worker).take(partnerId, () => {
    const limit = patience(engine);
    const { isLate } = limit;
    const done = worker.whilePaused(partnerId, async () => {
      if (holds === null || partnerId === null) return work({ isLate, keep: async () => 'kept' });
      const token = ids.uuid();
      const take = () => holds.hold(partnerId, token, HOLD);
      const workEnded = async (): Promise<'again' | 'lost'> => {
        while (
          (await holds.isWorkedOn(partnerId, clock.now())) ||
          (await isOperationRunning(engine, partnerId, clock.now()))
        ) {
          if (isLate()) return 'lost';
          await deadlines.rest(POLL_MS);
        }
        return 'again';
      };
      const keep = async () => {
        const held = await take();
        if (held === 'new') return workEnded();
        return held === 'kept' ? held : 'lost';
      };
      if ((await take()) === 'taken') throw new SteppedElsewhere();
      try {
        await clock.refresh();
        await workEnded();
        return await work({ isLate, keep });
      } finally {
        await holds.release(partnerId, token).catch((error: unknown) => {
          // The hold ends by itself.
          engine.telemetry.failure(error, { place: 'release of a sandbox' });
        });
      }
    });
    return done.finally(limit.end);
  });
}

/**
 * Moves a clock forward and runs all work at the instant it is due, claiming each next item directly. Running attempts of the same clock
 * are awaited; live mode and other sandboxes are not affected. When its time limit is reached it stops at the instant of the last item;
 * `now` is the time reached, and another call continues from there. Concurrent calls are serialized: otherwise they would step past the
 * leases of each other's attempts and repeat them, and one span would swallow the other. While another process steps the clock, a call
 * throws `SteppedElsewhere`.
 */
export async function advanceClock(stepper: Stepper, clock: SteppableClock, byMs: number): Promise<Advanced> {
  return stepped(stepper, clock, (stepping) => step(clock, byMs, stepping));
}

async function step(clock: SteppableClock, byMs: number, { isLate, keep }: Stepping): Promise<Advanced> {
  await clock.refresh();
  const target = Math.min(clock.now() + byMs, TEST_CLOCK_END);
  const fired: Fired[] = [];
  while (!isLate()) {
    const next = await clock.next(target);
    const kept = await keep();
    if (kept === 'lost') break;
    if (kept === 'again') continue;
    if (next === null || next.dueAt > target) {
      await clock.advanceTo(Math.max(target, clock.now()));
      break;
    }
    await runNext(clock, next, fired);
  }
  return { now: clock.now(), fired };
}

async function runNext(clock: SteppableClock, { type, id, dueAt, run }: Next, fired: Fired[]): Promise<void> {
  await clock.advanceTo(Math.max(dueAt, clock.now()));
  if (await run()) fired.push({ type, id });
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
 * items that become due run too, in order. Null if there is no such session. Runs nothing (`limit`) while another process steps the clock.
 */
export async function advanceToEnd(
  stepper: Stepper,
  clock: SteppableClock,
  scope: Scope,
  sessionId: string,
): Promise<AdvancedToEnd | null> {
  const { engine } = stepper;
  const advanced = stepped(stepper, clock, async ({ isLate, keep }) => {
    await clock.refresh();
    const [began, fired] = [clock.now(), [] as Fired[]];
    for (;;) {
      const session = await loadSession(engine, scope, sessionId);
      if (session === null) return null;
      const next = await clock.next();
      const kept = await keep();
      if (kept === 'again') continue;
      const stopped =
        (await reasonToStop(engine, session)) ??
        (kept === 'lost' ? 'limit' : null) ??
        (next === null ? 'nothing_due' : null) ??
        (isLate() || fired.length >= TO_END_ITEMS_MAX ? 'limit' : null) ??
        ((next?.dueAt ?? began) > Math.min(began + TO_END_SPAN_MAX, TEST_CLOCK_END) ? 'limit' : null);
      if (stopped !== null || next === null)
        return { now: clock.now(), fired, session, stopped: stopped ?? 'nothing_due' };
      await runNext(clock, next, fired);
    }
  });
  return advanced.catch(async (error: unknown) => {
    if (!(error instanceof SteppedElsewhere)) throw error;
    const session = await loadSession(engine, scope, sessionId);
    return session === null ? null : { now: clock.now(), fired: [], session, stopped: 'limit' };
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
