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
 *      │    no more to      called again,   GATHER_MS later     │
 *      │    claim now       or all claimed                      │ halt
 *      │ resume                 │ halt                          │
 *      │                        ▼                               │
 *      halted ◀────────────── halting ◀─────────────────────────┘
 *              the claims end    (resume: back to claiming)
 *
 * - idle: `NextWakeUp` looks up what is due next, and sets the scheduler to it.
 * - claiming: one claim of each kind of work is under way. Calls of `runDue` meanwhile cause one more round,
 *   so under load the rounds batch themselves: the longer a claim takes, the more it finds.
 * - gathering: a claim of one costs nearly as much as one of thirty, so under a stream of work the worker waits briefly.
 * - halting, halted: nothing more is claimed; running work continues.
 */
export class Worker {
  private state: State = 'idle';
  /** The rounds since the state was last idle; rejects when a claim fails. */
  private rounds: Promise<void> = Promise.resolve();
  private round: Promise<void> = Promise.resolve();
  /** There may be more to claim than the current round claims. */
  private needsAnotherRound = false;
  /** Number of callers stepping each mode's clock; meanwhile only they run work of that mode. */
  private readonly pauses: Record<Mode, number> = { test: 0, live: 0 };
  private readonly slots: Slots;
  private readonly nextWakeUp: NextWakeUp;
  private readonly watchdogs: readonly Watchdog[];
  /** Serializes advances of the test clock. */
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

  /** Claims and starts all due work that has a slot; resolves when there is no more to start. */
  runDue(): Promise<void> {
    if (this.state === 'halted') return Promise.resolve();
    if (this.state === 'idle') this.rounds = this.runRounds();
    else this.needsAnotherRound = true;
    return this.rounds;
  }

  /** Stops claiming until `resume`; running work continues. */
  halt(): void {
    if (this.state === 'idle') this.state = 'halted';
    else if (this.state !== 'halted') this.state = 'halting';
  }

  resume(): void {
    if (this.state === 'halted') this.state = 'idle';
    else if (this.state === 'halting') this.state = 'claiming';
  }

  /** Resolves when no started work is running and no look-up of due work is pending. */
  async idle(): Promise<void> {
    await this.settled();
    await this.slots.idle();
  }

  /** Runs due work, and the work it makes due, until there is none. */
  async runUntilIdle(): Promise<void> {
    for (;;) {
      const wasIdle = this.slots.isIdle;
      const before = this.slots.mark();
      await this.runDue();
      await this.settled();
      // Started work may have ended, and made more work due, while the rest was being claimed.
      if (wasIdle && !this.slots.hasMovedSince(before)) return;
      await this.idle();
    }
  }

  /** Runs one due item to its end; false if another worker has it. */
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

  /** The next due item that this process may run. */
  nextDue(mode: Mode): Promise<DueItem | null> {
    return this.engine.store.nextDue(mode, [...this.lanes(), 'tasks']);
  }

  /** While a mode's clock is stepped, only the stepping runs work of that mode; the other mode continues. */
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
        this.needsAnotherRound = false;
        this.round = this.runRound();
        await this.round;
      } while (this.needsAnotherRound && !this.isHalting());
    } finally {
      // Runs synchronously after the last check of `needsAnotherRound`; otherwise a call between the two would be lost.
      this.state = this.isHalting() ? 'halted' : 'idle';
    }
  }

  /** One claim of each kind. If much was claimed there is probably more; otherwise looks up what is due next. */
  private async runRound(): Promise<void> {
    this.slots.isWaiting = false;
    this.nextWakeUp.cancel();
    const before = this.slots.mark();
    const claims = await Promise.all([this.claimTasks(), ...this.lanes().map((lane) => this.claimDeliveries(lane))]);
    for (const dog of this.watchdogs) if (dog.isDue()) this.slots.begin(dog.kind, null, dog.run());
    if (claims.includes('all')) this.needsAnotherRound = true;
    else if (claims.includes('many')) await this.gather();
    else if (!this.slots.isWaiting) this.nextWakeUp.lookAfter(before);
  }

  private async gather(): Promise<void> {
    this.needsAnotherRound = true;
    if (this.isHalting()) return;
    this.state = 'gathering';
    await this.engine.deadlines.rest(GATHER_MS);
    if (!this.isHalting()) this.state = 'claiming';
  }

  /** A method, because the compiler narrows `state` to the last assignment, while `halt` may have been called since. */
  private isHalting(): boolean {
    return this.state === 'halting';
  }

  /** The time of a paused mode is 0, when nothing is due. */
  private nowPerMode(): Record<Mode, number> {
    const { clock } = this.engine;
    return { test: this.pauses.test > 0 ? 0 : clock.now('test'), live: this.pauses.live > 0 ? 0 : clock.now('live') };
  }

  /** Webhooks, and the consumers that this process has functions for. */
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
    // At most half of the free slots, as shares shrink with every claim.
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

  /** Resolves when no look-up is pending, nor a round that it started. Failures go to the caller that requested the round. */
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

/** `all`: the limit was reached, so there may be more. `many`: fewer, but more will come or an endpoint has its share. */
type Amount = 'all' | 'many' | 'few';

function amountOf(claimed: number, limit: number): Amount {
  if (claimed === limit) return 'all';
  return claimed >= MANY ? 'many' : 'few';
}

/** Maximum number of items per claim. */
const CLAIM_BATCH = 128;

/** Maximum number of concurrent tasks per process. */
const TASKS_IN_FLIGHT_MAX = 32;

/** Several times the duration of a claim, and a small part of an attempt's. */
const GATHER_MS = 4;

/** Runs work one after another in the order of the calls; a failure blocks nothing. */
class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private taken = 0;

  /** Whether work is running or waiting. */
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
