import { MODES, type Mode } from '../../domain/mode.js';
import { type Lane, LANES, PAUSED_LANE } from '../../domain/webhook/delivery.js';
import type { ClaimedDelivery, DueItem, Lease } from '../../ports/store.js';
import { attemptDelivery, recipientsOnce } from '../deliveries/attempt-delivery.js';
import type { Engine } from '../engine.js';
import { runTask } from '../tasks/run-task.js';
import { PausedWatch } from './watches.js';
import { type Place, Places, Turns } from './places.js';
import { Reaper } from './reaper.js';

/**
 * Does due work. It claims as much as it has places for and does not wait for what it claimed, so
 * one slow receiver delays neither the claims nor other attempts.
 */
export class Worker {
  private readonly places: Places;
  private readonly reaper: Reaper;
  private readonly pausedWatch: PausedWatch;
  /** Something waits for a place; the end of something that runs is what to wait for. */
  private isStarved = false;
  /** Of those who move the test clock. */
  readonly stepping = new Turns();
  private readonly pauses: Record<Mode, number> = { test: 0, live: 0 };
  private halted = false;
  private round: Promise<void> | null = null;
  /** The claims that are being made. */
  private claiming: Promise<void> | null = null;
  private isAskedAgain = false;
  /** The round after which the next due time must be looked up; null once another has begun. */
  private toLookAfter: Before | null = null;
  private looking: Promise<void> | null = null;

  constructor(private readonly engine: Engine) {
    this.reaper = new Reaper(engine);
    this.pausedWatch = new PausedWatch(engine);
    this.places = new Places(
      engine.policy,
      () => this.useFreePlace(),
      (error, place) => engine.telemetry.failure(error, { place }),
    );
  }

  /**
   * Claims and begins everything that is due and has a place; resolves when it found no more to begin. Calls that come
   * meanwhile are answered by one more round, so under load the rounds batch themselves: the longer a claim takes, the
   * more it finds. What comes next is looked up afterwards, as work that is due now must not wait for that.
   */
  runDue(): Promise<void> {
    if (this.round !== null) {
      this.isAskedAgain = true;
      return this.round;
    }
    if (!this.mayBegin()) return Promise.resolve();
    this.round = this.rounds();
    return this.round;
  }

  /** Claims no more until `resume`; what was begun goes on. */
  halt(): void {
    this.halted = true;
  }

  resume(): void {
    this.halted = false;
  }

  /** Resolves when nothing that was begun is still running, nor what is due next being looked up. */
  async idle(): Promise<void> {
    await this.looked();
    await this.places.idle();
  }

  /** Runs what is due, and what that made due, until nothing is. */
  async runUntilIdle(): Promise<void> {
    for (;;) {
      const wasIdle = this.places.isIdle;
      const before = this.places.begun;
      await this.runDue();
      await this.looked();
      // What was begun may have ended already, and made more due, while the rest was being claimed.
      if (wasIdle && this.places.begun === before) return;
      await this.idle();
    }
  }

  /** Runs one due item to its end; false when another has it. */
  async runOne(item: DueItem): Promise<boolean> {
    const now = this.engine.clock.now(item.mode);
    if (item.kind === 'task') {
      const lease = this.lease(now, this.engine.policy.taskLease);
      const task = await this.engine.store.claimOne('task', item.mode, item.id, { ...lease, early: false });
      if (task === null) return false;
      await runTask(this.engine, task);
      return true;
    }
    const lease = this.lease(now, this.engine.policy.deliveryLease);
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
      await this.claiming?.catch(() => undefined);
      await this.places.idleIn(mode);
      return await work();
    } finally {
      this.pauses[mode] -= 1;
      this.engine.scheduler.wake([{ delayMs: 0 }]);
    }
  }

  private async rounds(): Promise<void> {
    try {
      do {
        this.isAskedAgain = false;
        this.claiming = this.oneRound();
        await this.claiming;
      } while (this.isAskedAgain && this.mayBegin());
    } finally {
      // In the same breath as the last look at what was asked, or a call between the two would be lost.
      this.round = null;
    }
  }

  /** One claim of each kind. Where there was much there is likely more; otherwise it looks what comes next. */
  private async oneRound(): Promise<void> {
    this.isStarved = false;
    this.toLookAfter = null;
    const { begun, freed } = this.places;
    const claims = await Promise.all([this.claimTasks(), ...this.lanes().map((lane) => this.claimDeliveries(lane))]);
    if (this.reaper.isDue()) this.places.begin('reaper', null, this.reaper.run());
    if (this.pausedWatch.isDue()) this.places.begin(PAUSED_LANE, null, this.pausedWatch.run());
    if (claims.includes('all')) this.isAskedAgain = true;
    else if (claims.includes('much')) {
      this.isAskedAgain = true;
      // A claim of one costs nearly as much as one of thirty: while many come, they are let gather.
      await this.engine.deadlines.rest(GATHER_MS);
    } else if (!this.isStarved) this.lookAfter({ begun, freed });
  }

  private mayBegin(): boolean {
    return !this.halted;
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
    const { policy, store, ids } = this.engine;
    const limit = Math.min(this.freePlaces('tasks', policy.tasksInFlightMax), policy.claimBatch);
    if (limit === 0) return 'little';
    const tasks = await store.claim('task', {
      now: this.nowPerMode(),
      limit,
      leaseMs: policy.taskLease,
      token: ids.uuid(),
    });
    for (const task of tasks) this.places.begin('tasks', task.mode, runTask(this.engine, task));
    return amountOf(tasks.length, limit);
  }

  private async claimDeliveries(lane: Lane): Promise<Amount> {
    const { policy, store, ids } = this.engine;
    const free = this.freePlaces(lane, policy.attemptsInFlightMax);
    if (free === 0) return 'little';
    // Half of what is left at the most, as shares shrink with every claim.
    const limit = Math.min(Math.ceil(free / 2), policy.claimBatch);
    const claimed: readonly ClaimedDelivery[] = await store.claim('delivery', {
      now: this.nowPerMode(),
      lane,
      limit,
      perEndpoint: this.places.ofOneEndpoint(lane),
      leaseMs: policy.deliveryLease,
      token: ids.uuid(),
    });
    const recipients = recipientsOnce(this.engine);
    for (const one of claimed) {
      const work = this.places.attempting(lane, (onAnswered) =>
        attemptDelivery(this.engine, one, recipients, onAnswered),
      );
      this.places.begin(lane, one.delivery.mode, work);
    }
    return amountOf(claimed.length, limit);
  }

  /** With none, the end of something that runs is what to wait for. */
  private freePlaces(place: Place, most: number): number {
    const free = this.places.free(place, most);
    if (free === 0) this.isStarved = true;
    return free;
  }

  /** If something waits for a place, this process continues by itself, even if wake-ups are lost. */
  private useFreePlace(): void {
    if (this.isStarved && this.mayBegin()) this.ask();
  }

  private lookAfter(round: Before): void {
    this.toLookAfter = round;
    this.looking ??= this.look();
  }

  /** Resolves when no look is under way, nor a round that one has begun. */
  private async looked(): Promise<void> {
    // The caller that asked for the round gets its result.
    while (this.looking !== null || this.round !== null) await (this.looking ?? this.round?.catch(() => undefined));
  }

  /** What comes next, unless another round begins, which looks again after it. Never two at once. */
  private async look(): Promise<void> {
    for (let round = this.toLookAfter; round !== null; round = this.toLookAfter) {
      try {
        // With few under way no endpoint has its share of places, so what is due comes with a wake-up of its own.
        if (this.places.underWay < MUCH) await this.engine.deadlines.rest(LOOK_AFTER_MS);
        if (this.toLookAfter !== round) continue;
        const heads = await Promise.all(MODES.map((mode) => this.nextDue(mode)));
        if (this.toLookAfter !== round) continue;
        this.toLookAfter = null;
        this.prepareForNext(heads, round);
      } catch (error) {
        if (this.toLookAfter === round) this.toLookAfter = null;
        this.engine.telemetry.failure(error, { place: 'look' });
      }
    }
    this.looking = null;
  }

  private prepareForNext(heads: readonly (DueItem | null)[], before: Before): void {
    let isAskedAgain = false;
    for (const next of heads) {
      if (next === null || this.pauses[next.mode] > 0) continue;
      const delayMs = next.dueAt - this.engine.clock.now(next.mode);
      if (delayMs > 0) this.engine.scheduler.wake([{ delayMs }]);
      else isAskedAgain = this.takeOrWait(before) || isAskedAgain;
    }
    if (isAskedAgain) this.ask();
  }

  /**
   * Something is due. It came while the round found other work, or an endpoint has all the places it may have, here or
   * in another process. True when it may be taken now.
   */
  private takeOrWait(before: Before): boolean {
    // A place that became free since the round began was not wanted when it did.
    if (this.places.begun > before.begun || this.places.freed > before.freed) return true;
    if (!this.places.isIdle) this.isStarved = true;
    else this.engine.scheduler.wake([{ delayMs: OTHERS_PLACES_MS }]);
    return false;
  }

  private ask(): void {
    this.runDue().catch((error: unknown) => {
      this.engine.telemetry.failure(error, { place: 'claim' });
    });
  }

  private lease(now: number, leaseMs: number): Lease {
    return { now, leaseMs, token: this.engine.ids.uuid() };
  }
}

/** `all` that was asked for, so there may be more; `much`, though less than that: more will come, or an endpoint has its share. */
type Amount = 'all' | 'much' | 'little';

/** A few come one by one, and each of them brings a wake-up. */
const MUCH = 8;

/** Several times what a claim takes, and little of what an attempt takes. */
const GATHER_MS = 4;

/** While work comes one by one, the next of it mostly comes sooner, and no look-up is needed. */
const LOOK_AFTER_MS = 10;

function amountOf(claimed: number, limit: number): Amount {
  if (claimed === limit) return 'all';
  return claimed >= MUCH ? 'much' : 'little';
}

/** What had been begun, and the places that had become free, when a round began. */
interface Before {
  readonly begun: number;
  readonly freed: number;
}

/** This process does not hear when another one has a place again. */
const OTHERS_PLACES_MS = 250;
