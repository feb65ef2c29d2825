import type { Mode } from '../../domain/mode.js';
import { TASK_LEASE } from '../../domain/task.js';
import { DELIVERY_LEASE, type Lane, LANES } from '../../domain/webhook/delivery.js';
import {
  type DueItem,
  type Lease,
  type SandboxDue,
  STEPPED_LEASE,
  type WorkKind,
  type WorkTime,
} from '../../ports/store.js';
import { attemptDelivery, recipientsOnce } from '../deliveries/attempt-delivery.js';
import type { Engine } from '../engine.js';
import { testWorkOf } from '../providers/call-providers.js';
import { runTask } from '../tasks/run-task.js';
import { MANY, NextWakeUp, type NextWork, nextWork, sandboxDue, workTime } from './next-wake-up.js';
import { Slots } from './slots.js';
import { type Watchdog, watchdogs } from './watchdogs.js';

/** Runs the work of a clock while it is stepped. */
export type SteppedWork = Pick<Worker, 'whilePaused' | 'runOne' | 'nextOfSandbox' | 'nextWork'>;

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
  /**
   * The clocks that are being stepped, by partner, and by how many callers; meanwhile only they run the work of these clocks. Null is the
   * clock of all of test mode.
   */
  private readonly pauses = new Map<string | null, number>();
  private readonly slots: Slots;
  private readonly nextWakeUp: NextWakeUp;
  private readonly watchdogs: readonly Watchdog[];

  /** `onStepped` is called before work is run on request, while a clock is stepped. */
  constructor(
    private readonly engine: Engine,
    private readonly onStepped: () => void = () => undefined,
  ) {
    this.watchdogs = watchdogs(engine);
    // A process with work waiting for a slot continues by itself, even if wake-ups are lost.
    this.slots = new Slots(engine.policy, {
      onFree: () => this.claimNow(),
      onFailure: (error, kind) => engine.telemetry.failure(error, { place: kind }),
    });
    this.nextWakeUp = new NextWakeUp(engine, this.slots, {
      nextWork: (mode) => this.nextWork(mode),
      isPaused: (mode) => mode === 'test' && this.pauses.has(null),
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

  /** The number of deliveries and tasks that this process is running. */
  get underWay(): number {
    return this.slots.underWay;
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

  /** Runs one due item to its end, while its clock is stepped; false if another worker has it. */
  async runOne(item: DueItem | SandboxDue): Promise<boolean> {
    const { clock } = this.engine;
    const now = 'partnerId' in item ? clock.now(item) : clock.ofMode(item.mode);
    if (item.kind === 'task') {
      const lease = this.lease(now, TASK_LEASE);
      const task = await this.engine.store.claimOne('task', item, item.id, { ...lease, early: false });
      if (task === null) return false;
      await runTask(this.engine, task);
      return true;
    }
    const lease = this.lease(now, DELIVERY_LEASE);
    const claimed = await this.engine.store.claimOne('delivery', item, item.id, lease);
    if (claimed === null) return false;
    await attemptDelivery(this.engine, claimed, recipientsOnce(this.engine));
    return true;
  }

  /** The next due item of a mode that this process may run. */
  nextWork(mode: Mode): Promise<NextWork | null> {
    return nextWork(this.engine, mode, this.kinds());
  }

  /** The next due item of a sandbox that this process may run. */
  async nextOfSandbox(partnerId: string): Promise<SandboxDue | null> {
    const [next = null] = await sandboxDue(this.engine, partnerId, { kinds: this.kinds(), limit: 1 });
    return next;
  }

  /** While a clock is stepped, only the stepping runs the work of that clock; all other work continues. Null: all of test mode. */
  async whilePaused<Value>(partner: string | null, work: () => Promise<Value>): Promise<Value> {
    this.onStepped();
    this.pauses.set(partner, (this.pauses.get(partner) ?? 0) + 1);
    // An async function, so that a provider that throws rejects, and the pauses of the others are released below.
    const paused = this.engine.providers.map(async (provider) => testWorkOf(this.engine, provider)?.pause(partner));
    try {
      await Promise.all(paused);
      await this.round.catch(() => undefined);
      await this.slots.idle(({ mode, partnerId }) => mode === 'test' && (partner === null || partnerId === partner));
      return await work();
    } finally {
      const left = (this.pauses.get(partner) ?? 1) - 1;
      if (left === 0) this.pauses.delete(partner);
      else this.pauses.set(partner, left);
      for (const one of await Promise.allSettled(paused)) if (one.status === 'fulfilled') one.value?.();
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
    // Other processes may have stepped sandboxes since: a lease that is taken by an old time could already have ended by the present one.
    if (this.engine.stepsSandboxes) await this.engine.clock.refresh();
    else void this.engine.clock.follow();
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

  /** The time of a clock that is being stepped is 0, when nothing is due. */
  private workTime(): WorkTime {
    const time = { ...workTime(this.engine.clock), ...(this.engine.holds === null ? {} : { skipsStepped: true }) };
    if (this.pauses.has(null))
      return { ...time, now: { ...time.now, test: 0 }, sandboxes: zeroFor(time.sandboxes?.keys()) };
    if (this.pauses.size === 0) return time;
    const stepped = [...this.pauses.keys()].filter((partnerId) => partnerId !== null);
    return { ...time, sandboxes: new Map([...(time.sandboxes ?? []), ...zeroFor(stepped)]) };
  }

  private kinds(): readonly WorkKind[] {
    return [...this.lanes(), 'tasks'];
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
    const tasks = await store.claim('task', { ...this.workTime(), limit, ...lease });
    for (const task of tasks) this.slots.begin('tasks', task, runTask(this.engine, task));
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
    const claimed = await store.claim('delivery', { ...this.workTime(), lane, limit, perEndpoint, ...lease });
    const recipients = recipientsOnce(this.engine);
    for (const one of claimed) {
      const work = this.slots.attempting(lane, (onAnswered) =>
        attemptDelivery(this.engine, one, recipients, onAnswered),
      );
      this.slots.begin(lane, one.delivery, work);
    }
    return amountOf(claimed.length, limit);
  }

  /** Resolves when no look-up is pending, nor a round that it started. Failures go to the caller that requested the round. */
  private async settled(): Promise<void> {
    while (this.nextWakeUp.lookUp !== null || !this.isAtRest())
      await (this.nextWakeUp.lookUp ?? this.rounds.catch(() => undefined));
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
    return { now, leaseMs, token: STEPPED_LEASE + this.engine.ids.uuid() };
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

function zeroFor(partnerIds: Iterable<string> = []): Map<string, number> {
  return new Map([...partnerIds].map((partnerId) => [partnerId, 0]));
}
