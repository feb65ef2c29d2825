import type { Mode } from '../../domain/mode.js';
import { TASK_LEASE } from '../../domain/task.js';
import { DELIVERY_LEASE, type Lane, LANES } from '../../domain/webhook/delivery.js';
import type { DueItem, Lease } from '../../ports/store.js';
import { attemptDelivery, recipientsOnce } from '../deliveries/attempt-delivery.js';
import type { Engine } from '../engine.js';
import { runTask } from '../tasks/run-task.js';
import { MANY, NextWakeUp } from './next-wake-up.js';
import { Slots } from './slots.js';
import { type Watchdog, watchdogs } from './watchdogs.js';

type State = 'idle' | 'claiming' | 'gathering' | 'halting' | 'halted';

/**
 * A loop that claims due work and begins it. It claims as much as it has slots for and does not wait for what it
 * began, so one slow receiver delays neither the claims nor other attempts.
 *
 *             runDue                   much was claimed
 *      idle ──────────▶ claiming ──────────────────────▶ gathering
 *      ▲  ▲             │   ▲  │ ▲                        │    │
 *      │  └─────────────┘   └──┘ └────────────────────────┘    │
 *      │    no more to      asked again,    GATHER_MS later     │
 *      │    claim now       or all claimed                      │ halt
 *      │ resume                 │ halt                          │
 *      │                        ▼                               │
 *      halted ◀────────────── halting ◀─────────────────────────┘
 *              the claims end    (resume: back to claiming)
 *
 * - idle: `NextWakeUp` looks what is due next, and sets the scheduler to it.
 * - claiming: one claim of each kind of work is under way. Calls of `runDue` meanwhile are answered by one more round,
 *   so under load the rounds batch themselves: the longer a claim takes, the more it finds.
 * - gathering: a claim of one costs nearly as much as one of thirty, so while many come, they are left to gather.
 * - halting, halted: nothing more is claimed; what was begun goes on.
 */
export class Worker {
  private state: State = 'idle';
  /** The rounds since the state was last idle; rejects when a claim fails. */
  private rounds: Promise<void> = Promise.resolve();
  private round: Promise<void> = Promise.resolve();
  /** There may be more to claim than the present round claims. */
  private isAskedAgain = false;
  /** How many callers step the clock of a mode: meanwhile only they run work of that mode. */
  private readonly pauses: Record<Mode, number> = { test: 0, live: 0 };
  private readonly slots: Slots;
  private readonly nextWakeUp: NextWakeUp;
  private readonly watchdogs: readonly Watchdog[];
  /** Advances of the test clock, one at a time. */
  readonly stepping = new Turns();

  constructor(private readonly engine: Engine) {
    this.watchdogs = watchdogs(engine);
    // A process with work waiting for a slot continues by itself, even if wake-ups are lost.
    this.slots = new Slots(engine.policy, {
      onFree: () => this.claimNow(),
      onFailure: (error, kind) => engine.telemetry.failure(error, { place: kind }),
    });
    this.nextWakeUp = new NextWakeUp(engine, this.slots, {
      nextDue: (mode) => this.nextDue(mode),
      isPaused: (mode) => this.pauses[mode] > 0,
      claimNow: () => this.claimNow(),
    });
  }

  /** Claims and begins everything that is due and has a slot; resolves when it found no more to begin. */
  runDue(): Promise<void> {
    if (this.state === 'halted') return Promise.resolve();
    if (this.state === 'idle') this.rounds = this.runRounds();
    else this.isAskedAgain = true;
    return this.rounds;
  }

  /** Claims no more until `resume`; what was begun goes on. */
  halt(): void {
    if (this.state === 'idle') this.state = 'halted';
    else if (this.state !== 'halted') this.state = 'halting';
  }

  resume(): void {
    if (this.state === 'halted') this.state = 'idle';
    else if (this.state === 'halting') this.state = 'claiming';
  }

  /** Resolves when nothing that was begun is still running, nor what is due next being looked up. */
  async idle(): Promise<void> {
    await this.settled();
    await this.slots.idle();
  }

  /** Runs what is due, and what that made due, until nothing is. */
  async runUntilIdle(): Promise<void> {
    for (;;) {
      const wasIdle = this.slots.isIdle;
      const before = this.slots.mark();
      await this.runDue();
      await this.settled();
      // What was begun may have ended already, and made more due, while the rest was being claimed.
      if (wasIdle && !this.slots.hasMovedSince(before)) return;
      await this.idle();
    }
  }

  /** Runs one due item to its end; false when another has it. */
  async runOne(item: DueItem): Promise<boolean> {
    const now = this.engine.clock.now(item.mode);
    if (item.kind === 'task') {
      const lease = this.lease(now, TASK_LEASE);
      const task = await this.engine.store.claimOne('task', item.mode, item.id, { ...lease, early: false });
      if (task === null) return false;
      await runTask(this.engine, task);
      return true;
    }
    const lease = this.lease(now, DELIVERY_LEASE);
    const claimed = await this.engine.store.claimOne('delivery', item.mode, item.id, lease);
    if (claimed === null) return false;
    await attemptDelivery(this.engine, claimed, recipientsOnce(this.engine));
    return true;
  }

  /** What is due next of all that this process may do. */
  nextDue(mode: Mode): Promise<DueItem | null> {
    return this.engine.store.nextDue(mode, [...this.lanes(), 'tasks']);
  }

  /** While a mode's clock is stepped, only its stepping runs work of that mode. The other mode's goes on. */
  async whilePaused<Value>(mode: Mode, work: () => Promise<Value>): Promise<Value> {
    this.pauses[mode] += 1;
    try {
      await this.round.catch(() => undefined);
      await this.slots.idle(mode);
      return await work();
    } finally {
      this.pauses[mode] -= 1;
      this.engine.scheduler.wake([{ delayMs: 0 }]);
    }
  }

  private async runRounds(): Promise<void> {
    this.state = 'claiming';
    try {
      do {
        this.isAskedAgain = false;
        this.round = this.runRound();
        await this.round;
      } while (this.isAskedAgain && !this.isHalting());
    } finally {
      // Synchronously after the last check of `isAskedAgain`, or a call between the two would be lost.
      this.state = this.isHalting() ? 'halted' : 'idle';
    }
  }

  /** One claim of each kind. Where much was claimed there is likely more; otherwise it looks what comes next. */
  private async runRound(): Promise<void> {
    this.slots.isWaiting = false;
    this.nextWakeUp.cancel();
    const before = this.slots.mark();
    const claims = await Promise.all([this.claimTasks(), ...this.lanes().map((lane) => this.claimDeliveries(lane))]);
    for (const dog of this.watchdogs) if (dog.isDue()) this.slots.begin(dog.kind, null, dog.run());
    if (claims.includes('all')) this.isAskedAgain = true;
    else if (claims.includes('many')) await this.gather();
    else if (!this.slots.isWaiting) this.nextWakeUp.lookAfter(before);
  }

  private async gather(): Promise<void> {
    this.isAskedAgain = true;
    if (this.isHalting()) return;
    this.state = 'gathering';
    await this.engine.deadlines.rest(GATHER_MS);
    if (!this.isHalting()) this.state = 'claiming';
  }

  /** A method, as the compiler takes the state for what was last assigned, and `halt` may have come in between. */
  private isHalting(): boolean {
    return this.state === 'halting';
  }

  /** The time of a paused mode is 0, when nothing is due. */
  private nowPerMode(): Record<Mode, number> {
    const { clock } = this.engine;
    return { test: this.pauses.test > 0 ? 0 : clock.now('test'), live: this.pauses.live > 0 ? 0 : clock.now('live') };
  }

  /** Webhooks, and what is for consumers whose function this process has: the rest is for those that have theirs. */
  private lanes(): readonly Lane[] {
    return [...LANES, ...this.engine.consumers.lanes()];
  }

  private async claimTasks(): Promise<Amount> {
    const { store, ids } = this.engine;
    const limit = Math.min(this.slots.free('tasks', TASKS_IN_FLIGHT_MAX), CLAIM_BATCH);
    if (limit === 0) return 'few';
    const lease = { leaseMs: TASK_LEASE, token: ids.uuid() };
    const tasks = await store.claim('task', { now: this.nowPerMode(), limit, ...lease });
    for (const task of tasks) this.slots.begin('tasks', task.mode, runTask(this.engine, task));
    return amountOf(tasks.length, limit);
  }

  private async claimDeliveries(lane: Lane): Promise<Amount> {
    const { policy, store, ids } = this.engine;
    const free = this.slots.free(lane, policy.attemptsInFlightMax);
    if (free === 0) return 'few';
    // Half of what is left at the most, as shares shrink with every claim.
    const limit = Math.min(Math.ceil(free / 2), CLAIM_BATCH);
    const perEndpoint = this.slots.ofOneEndpoint(lane);
    const lease = { leaseMs: DELIVERY_LEASE, token: ids.uuid() };
    const claimed = await store.claim('delivery', { now: this.nowPerMode(), lane, limit, perEndpoint, ...lease });
    const recipients = recipientsOnce(this.engine);
    for (const one of claimed) {
      const work = this.slots.attempting(lane, (onAnswered) =>
        attemptDelivery(this.engine, one, recipients, onAnswered),
      );
      this.slots.begin(lane, one.delivery.mode, work);
    }
    return amountOf(claimed.length, limit);
  }

  /** Resolves when no look is under way, nor a round that one has begun. The caller that asked for a round gets its failure. */
  private async settled(): Promise<void> {
    while (this.nextWakeUp.looking !== null || !this.isAtRest())
      await (this.nextWakeUp.looking ?? this.rounds.catch(() => undefined));
  }

  private isAtRest(): boolean {
    return this.state === 'idle' || this.state === 'halted';
  }

  private claimNow(): void {
    this.runDue().catch((error: unknown) => {
      this.engine.telemetry.failure(error, { place: 'claim' });
    });
  }

  private lease(now: number, leaseMs: number): Lease {
    return { now, leaseMs, token: this.engine.ids.uuid() };
  }
}

/** `all` that was asked for, so there may be more; `many`, though fewer than that: more will come, or an endpoint has its share. */
type Amount = 'all' | 'many' | 'few';

function amountOf(claimed: number, limit: number): Amount {
  if (claimed === limit) return 'all';
  return claimed >= MANY ? 'many' : 'few';
}

/** Items that one claim takes at most. */
const CLAIM_BATCH = 128;

/** Tasks that a process runs at once. */
const TASKS_IN_FLIGHT_MAX = 32;

/** Several times what a claim takes, and little of what an attempt takes. */
const GATHER_MS = 4;

/** Runs what it is given one after another, in the order it was asked; a failure blocks nothing. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private taken = 0;

  /** Whether something runs or waits for its turn. */
  get isBusy(): boolean {
    return this.taken > 0;
  }

  take<Value>(work: () => Promise<Value>): Promise<Value> {
    this.taken += 1;
    const turn = this.last.then(work).finally(() => {
      this.taken -= 1;
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
