import { type Instant, MINUTE, SECOND } from '../../domain/instant.js';
import { type Mode, MODES } from '../../domain/mode.js';
import {
  consumerLane,
  type ConsumerLane,
  DELIVERY_LEASE,
  endDelivery,
  LANES,
  PAUSED_LANE,
} from '../../domain/webhook/delivery.js';
import type { ConsumerName } from '../../ports/store.js';
import { releasePaused } from '../deliveries/release-paused.js';
import type { Engine } from '../engine.js';
import { nextWork, workTime } from './next-wake-up.js';
import type { SlotKind } from './slots.js';

/** Shorter than the schedulers' sweep interval, so every process checks at least once per sweep. */
const RELEASE_EVERY_MS = 2 * SECOND;

/** Interval of deleting rows past their retention, and the maximum number of rows per deletion and mode. */
const REAP_EVERY_MS = MINUTE;
const REAP_BATCH = 500;

/** How long the reaper waits for the host's vault. */
const SWEEP_MAX_MS = MINUTE;

/** A consumer whose deliveries are overdue this long is reported, and again at intervals: apparently no process has its function. */
const MISSING_AFTER_MS = MINUTE;
const MISSING_AGAIN_MS = 10 * MINUTE;

/** Deliveries of a removed consumer that are ended per claim. */
const REMOVED_BATCH = 128;

/** How often a process that never worked checks whether another one does. */
const LOOK_EVERY_MS = 10 * SECOND;

/** Periodic maintenance of a working process, each at its own interval and with its own slots. */
export function watchdogs(engine: Engine): readonly Watchdog[] {
  const consumers = new ConsumerWatch(engine);
  const sweep = async (): Promise<void> => {
    await consumers.run();
    await reap(engine);
  };
  return [
    new Watchdog(engine.clock, { kind: 'reaper', everyMs: REAP_EVERY_MS, run: sweep }),
    // Another process, such as `gate endpoints resume`, may have resumed an endpoint.
    new Watchdog(engine.clock, { kind: PAUSED_LANE, everyMs: RELEASE_EVERY_MS, run: () => releasePaused(engine) }),
  ];
}

interface WatchdogOptions {
  readonly kind: SlotKind;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

/** Runs at an interval of the wall clock; runs never overlap. */
export class Watchdog {
  private lastAt: Instant | null = null;
  private isRunning = false;

  constructor(
    private readonly clock: Engine['clock'],
    private readonly options: WatchdogOptions,
  ) {}

  get kind(): SlotKind {
    return this.options.kind;
  }

  isDue(): boolean {
    // The wall clock may have been set back.
    const isTime = this.lastAt === null || Math.abs(this.clock.wall() - this.lastAt) >= this.options.everyMs;
    return isTime && !this.isRunning;
  }

  async run(): Promise<void> {
    this.isRunning = true;
    this.lastAt = this.clock.wall();
    try {
      await this.options.run();
    } finally {
      this.isRunning = false;
    }
  }
}

/** Deletes rows past their retention in small batches, so that other work can run in between. */
async function reap({ store, clock, policy, vault, deadlines }: Engine): Promise<void> {
  const batch = (mode: Mode): Promise<number> =>
    store.reap({ mode, now: clock.ofMode(mode), keepEnded: policy.endedRetention, limit: REAP_BATCH });
  for (const mode of MODES) while ((await batch(mode)) >= REAP_BATCH);
  // The vault is the host's and comes last, so that its failure delays nothing in the store.
  for (const mode of MODES) {
    const swept = await deadlines.within(vault.sweep(mode, clock.ofMode(mode)), SWEEP_MAX_MS);
    if (swept.kind === 'late') throw new Error(`The sweep of the vault took longer than ${SWEEP_MAX_MS} ms.`);
  }
}

/**
 * Handles deliveries to consumers that this process does not have: ends those of removed consumers, and reports consumers that no process
 * has, repeatedly while it lasts.
 */
class ConsumerWatch {
  private readonly alarmedAt = new Map<ConsumerLane, number>();

  constructor(private readonly engine: Engine) {}

  async run(): Promise<void> {
    const { consumers } = await this.engine.consumers.refresh();
    for (const consumer of consumers) {
      if (consumer.isRemoved) await endRemoved(this.engine, consumer);
      else if (!this.engine.consumers.isOwn(consumer)) await this.check(consumer);
    }
  }

  private async check(consumer: ConsumerName): Promise<void> {
    const { clock, telemetry } = this.engine;
    const lane = consumerLane(consumer);
    const alarmedAt = this.alarmedAt.get(lane) ?? -Infinity;
    const late = Math.max(...(await Promise.all(MODES.map((mode) => this.lateness(mode, lane)))));
    if (late < MISSING_AFTER_MS || clock.wall() - alarmedAt < MISSING_AGAIN_MS) return;
    this.alarmedAt.set(lane, clock.wall());
    telemetry.alarm('consumer_missing', { consumer: consumer.name, event_type: consumer.type, overdue_ms: late });
  }

  /** A process with the function would claim due work at once, so overdue work means that there is none. */
  private async lateness(mode: Mode, lane: ConsumerLane): Promise<number> {
    const next = await nextWork(this.engine, mode, [lane]);
    return next === null ? 0 : -next.delayMs;
  }
}

/** Ends due deliveries of a removed consumer; retries are ended when they are due, leased ones when the lease expires. */
export async function endRemoved(engine: Engine, consumer: ConsumerName): Promise<void> {
  const { store, clock, ids, telemetry } = engine;
  for (;;) {
    const claimed = await store.claim('delivery', {
      ...workTime(clock),
      lane: consumerLane(consumer),
      limit: REMOVED_BATCH,
      perEndpoint: REMOVED_BATCH,
      leaseMs: DELIVERY_LEASE,
      token: ids.uuid(),
    });
    for (const { delivery } of claimed) {
      const next = endDelivery(delivery, clock.now(delivery));
      await store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null });
      telemetry.note('consumer_removed', {
        delivery_id: delivery.id,
        event_id: delivery.eventId,
        consumer: consumer.name,
      });
    }
    if (claimed.length < REMOVED_BATCH) return;
  }
}

/** Runs something after a delay if the process is still alive; does not keep it alive. */
type Later = (run: () => void, delayMs: number) => void;

/**
 * For a process that was never started to work. That is fine if others work, and a mistake if none does; only the store can tell. While the
 * process commits and serves, and afterwards until nothing is due, it checks at intervals whether work is overdue and raises one alarm.
 */
export class OverdueWatch {
  private nextCheckAt: number | null = null;
  private isCheckingLater = false;
  private isOver = false;

  constructor(
    private readonly engine: Pick<Engine, 'store' | 'clock' | 'policy' | 'telemetry' | 'consumers'>,
    private readonly later: Later,
  ) {}

  /** Called when this process works, by itself or on request: overdue work is then not due to a missing start. */
  end(): void {
    this.isOver = true;
  }

  /** Called on every request and commit; usually does nothing. */
  check(): void {
    if (this.isOver) return;
    const now = this.engine.clock.wall();
    const isDue = this.nextCheckAt !== null && now >= this.nextCheckAt;
    if (isDue || this.nextCheckAt === null) this.nextCheckAt = now + this.checkEveryMs();
    if (isDue) void this.raise();
    this.checkLater();
  }

  /** This may be the last request for a long time: a caller that waits for its webhook sends no other. */
  private checkLater(): void {
    if (this.isCheckingLater || this.isOver) return;
    this.isCheckingLater = true;
    this.later(() => {
      this.isCheckingLater = false;
      void this.raise().then((isAnythingDue) => {
        if (isAnythingDue) this.checkLater();
      });
    }, this.checkEveryMs());
  }

  private checkEveryMs(): number {
    return Math.min(LOOK_EVERY_MS, this.engine.policy.overdueAlarmAfter);
  }

  /** Returns whether anything is pending. Errors of the store are reported by the requests that need it. */
  private raise(): Promise<boolean> {
    return this.isOver ? Promise.resolve(false) : this.checkHeads().catch(() => false);
  }

  private async checkHeads(): Promise<boolean> {
    const { policy, telemetry, consumers } = this.engine;
    // Deliveries to consumers that this process does not have wait for their functions, which starting it would not provide.
    const kinds = [...LANES, ...consumers.lanes(), 'tasks'] as const;
    const heads = await Promise.all(MODES.map((mode) => nextWork(this.engine, mode, kinds)));
    const late = Math.max(...heads.map((next) => (next === null ? 0 : -next.delayMs)));
    if (this.isOver || late < policy.overdueAlarmAfter) return late > 0;
    this.isOver = true;
    telemetry.alarm('work_overdue', { overdue_ms: Math.round(late) });
    return false;
  }
}
