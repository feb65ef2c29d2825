import { MODES, type Mode } from '../../domain/mode.js';
import { LANES, type Lane } from '../../domain/webhook/delivery.js';
import type { ClaimedDelivery, DueItem, Lease, WorkKind } from '../../ports/store.js';
import { attemptDelivery } from '../deliveries/attempt-delivery.js';
import { recipientsOnce, type Recipients } from '../deliveries/recipients.js';
import type { Engine } from '../engine.js';
import { runTask } from '../tasks/run-task.js';
import { Reaper } from './reaper.js';

/** Each kind of work has places of its own. */
type Place = WorkKind | 'reaper';

/**
 * Does due work. It claims as much as it has places for and does not wait for what it claimed, so
 * one slow receiver delays neither the claims nor anybody else's attempts.
 */
export class Worker {
  /** What was begun, and its mode; the reaper's is null. */
  private readonly running = new Map<Promise<void>, Mode | null>();
  private readonly busy = new Tally<Place>();
  /** Attempts that have their answer but are not recorded yet. */
  private readonly recording = new Tally<Lane>();
  private readonly reaper: Reaper;
  private begun = 0;
  /** Places that became free so far. */
  private freed = 0;
  private starved = false;
  private readonly pauses: Record<Mode, number> = { test: 0, live: 0 };
  private halted = false;
  private round: Promise<void> | null = null;
  /** The claims that are being made. */
  private claiming: Promise<void> | null = null;
  private isAskedAgain = false;

  constructor(private readonly engine: Engine) {
    this.reaper = new Reaper(engine);
  }

  /**
   * Claims and begins everything that is due and has a place; resolves when there is no more to
   * begin. Calls that come meanwhile are answered by one more round, so under load the rounds batch
   * themselves: the longer a claim takes, the more it finds.
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

  /** Resolves when nothing that was begun is still running. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.keys());
  }

  private async idleIn(mode: Mode): Promise<void> {
    const running = (): readonly Promise<void>[] =>
      [...this.running].flatMap(([work, its]) => (its === mode ? [work] : []));
    for (let left = running(); left.length > 0; left = running()) await Promise.all(left);
  }

  /** Runs what is due, and what that made due, until nothing is. */
  async runUntilIdle(): Promise<void> {
    for (;;) {
      const wasIdle = this.running.size === 0;
      const before = this.begun;
      await this.runDue();
      // What was begun may have ended already, and made more due, while the rest was being claimed.
      if (wasIdle && this.begun === before) return;
      await this.idle();
    }
  }

  /** Runs one due item to its end; false when another has it. */
  async runOne(item: DueItem): Promise<boolean> {
    const now = this.engine.clock.now(item.mode);
    if (item.kind === 'task') {
      const lease = this.lease(now, this.engine.policy.taskLease);
      const task = await this.engine.store.claimTask(item.mode, item.id, { ...lease, early: false });
      if (task === null) return false;
      await runTask(this.engine, task);
      return true;
    }
    const lease = this.lease(now, this.engine.policy.deliveryLease);
    const claimed = await this.engine.store.claimDelivery(item.mode, item.id, lease);
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
      await this.idleIn(mode);
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

  /** One claim of each kind. Where there was something there may be more; where there was nothing it waits for what comes next. */
  private async oneRound(): Promise<void> {
    this.starved = false;
    const { begun, freed } = this;
    await Promise.all([this.claimTasks(), ...this.lanes().map((lane) => this.claimDeliveries(lane))]);
    if (this.reaper.isDue()) this.begin('reaper', null, this.reaper.run());
    if (this.begun > begun) this.isAskedAgain = true;
    else if (!this.starved) await this.prepareForNext(freed);
  }

  private mayBegin(): boolean {
    return !this.halted;
  }

  /** A mode that is paused stands at the beginning of time, where nothing is due. */
  private nowPerMode(): Record<Mode, number> {
    const { clock } = this.engine;
    return { test: this.pauses.test > 0 ? 0 : clock.now('test'), live: this.pauses.live > 0 ? 0 : clock.now('live') };
  }

  /** Webhooks, and what is for consumers whose function this process has: the rest is for those that have theirs. */
  private lanes(): readonly Lane[] {
    return [...LANES, ...this.engine.consumers.lanes()];
  }

  private async claimTasks(): Promise<void> {
    const { policy, store, ids } = this.engine;
    const limit = Math.min(this.freePlaces('tasks', policy.tasksInFlightMax), policy.claimBatch);
    if (limit === 0) return;
    const tasks = await store.claimTasks({
      now: this.nowPerMode(),
      limit,
      leaseMs: policy.taskLease,
      token: ids.uuid(),
    });
    for (const task of tasks) this.begin('tasks', task.mode, runTask(this.engine, task));
  }

  private async claimDeliveries(lane: Lane): Promise<void> {
    const { policy, store, ids } = this.engine;
    const free = this.freePlaces(lane, policy.attemptsInFlightMax);
    if (free === 0) return;
    const claimed: readonly ClaimedDelivery[] = await store.claimDeliveries({
      now: this.nowPerMode(),
      lane,
      // Half of what is left at the most, as shares shrink with every claim.
      limit: Math.min(Math.ceil(free / 2), policy.claimBatch),
      perEndpoint: this.placesOfOne(lane),
      leaseMs: policy.deliveryLease,
      token: ids.uuid(),
    });
    const recipients = recipientsOnce(this.engine);
    for (const one of claimed) this.begin(lane, one.delivery.mode, this.attempt(lane, one, recipients));
  }

  /** Once the receiver has answered, its place is free for the next delivery while this one is recorded. */
  private async attempt(lane: Lane, claimed: ClaimedDelivery, recipients: Recipients): Promise<void> {
    let isRecording = false;
    try {
      await attemptDelivery(this.engine, claimed, recipients, () => {
        isRecording = true;
        this.recording.add(lane, 1);
        this.freePlace();
      });
    } finally {
      if (isRecording) this.recording.add(lane, -1);
    }
  }

  /**
   * Places one endpoint may have: many while most are free, one when they run short. So a receiver that hangs never takes the last ones,
   * however many events it is owed, and hundreds of them leave some. While there is plenty, an attempt that is only being recorded counts for
   * nobody.
   */
  private placesOfOne(lane: Lane): number {
    const { attemptsInFlightMax, attemptsPerEndpointMax } = this.engine.policy;
    const free = attemptsInFlightMax - this.busy.of(lane);
    const own = Math.min(attemptsPerEndpointMax, Math.max(1, Math.floor(free / 8)));
    return free >= attemptsInFlightMax / 2 ? own + this.recording.of(lane) : own;
  }

  /** With none, the end of something that runs is what to wait for. */
  private freePlaces(place: Place, most: number): number {
    const free = Math.max(0, most - this.busy.of(place));
    if (free === 0) this.starved = true;
    return free;
  }

  private begin(place: Place, mode: Mode | null, work: Promise<void>): void {
    this.begun += 1;
    this.busy.add(place, 1);
    const tracked = work
      // The row keeps its lease and is claimed again when it lapses; nothing is lost with the error.
      .catch((error: unknown) => {
        this.engine.telemetry.failure(error, { place });
      })
      .finally(() => {
        this.busy.add(place, -1);
        this.running.delete(tracked);
        this.freePlace();
      });
    this.running.set(tracked, mode);
  }

  /** If something waits for a place, this process goes on by itself, whatever becomes of wake-ups. */
  private freePlace(): void {
    this.freed += 1;
    if (!this.starved || !this.mayBegin()) return;
    this.runDue().catch((error: unknown) => {
      this.engine.telemetry.failure(error, { place: 'claim' });
    });
  }

  private async prepareForNext(freedBefore: number): Promise<void> {
    const heads = await Promise.all(MODES.map((mode) => this.nextDue(mode)));
    for (const next of heads) {
      if (next === null || this.pauses[next.mode] > 0) continue;
      const delayMs = next.dueAt - this.engine.clock.now(next.mode);
      if (delayMs > 0) this.engine.scheduler.wake([{ delayMs }]);
      else this.waitForPlace(freedBefore);
    }
  }

  /** Something is due and was not claimed: an endpoint has all the places it may have, here or in another process. */
  private waitForPlace(freedBefore: number): void {
    // A place became free since this round began, and its end found nobody who wanted it.
    if (this.freed > freedBefore) this.isAskedAgain = true;
    else if (this.running.size > 0) this.starved = true;
    else this.engine.scheduler.wake([{ delayMs: OTHERS_PLACES_MS }]);
  }

  private lease(now: number, leaseMs: number): Lease {
    return { now, leaseMs, token: this.engine.ids.uuid() };
  }
}

/** Counts by name; what was never counted is 0. */
class Tally<Name> {
  private readonly counts = new Map<Name, number>();

  of(name: Name): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: Name, count: number): void {
    this.counts.set(name, this.of(name) + count);
  }
}

/** Nobody tells this process when another one has a place again. */
const OTHERS_PLACES_MS = 250;
