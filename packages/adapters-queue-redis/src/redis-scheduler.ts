import type { Scheduler, WakeHint } from '@gateramp/core/ports';
import { Alarm, localScheduler, reportToStderr } from '@gateramp/core/runtime';
import type { Redis } from 'ioredis';
import { closeOnProtocolError, placeOf } from './connection/index.js';
import { boundedReport, type Report } from './bounded-report.js';
import { WakeUpListener } from './wake-up-listener.js';
import { WakeUpSender } from './wake-up-sender.js';

/** Which processes wake each other, and who is notified of Redis errors. */
export interface RedisSchedulerOptions {
  /** Begins every key of this gate in Redis. Processes that share it wake each other. */
  readonly prefix?: string;
  /** Hears what `onDue` threw and what Redis does wrong; an outage again every ten seconds. Without one, stderr does. */
  readonly onError?: (error: unknown) => void;
}

const DEFAULT_PREFIX = 'gateramp';

/**
 * An alarm clock that rings in whichever process is free: a hint made in one is heard in any that
 * was started. Redis carries wake-ups that are due now and nothing else: delays pass in the process
 * that has them, and every started process sweeps by a timer of its own. So a Redis that is
 * flushed, killed or silent costs at most the wait for the next sweep.
 *
 * The connection given is a pattern for our own ones (one once there is a hint, two once started),
 * and is neither opened nor closed.
 */
export function redisScheduler(connection: Redis, options: RedisSchedulerOptions = {}): Scheduler {
  // A listener is required, or the client writes its errors to the console.
  connection.on('error', () => undefined);
  closeOnProtocolError(connection);
  return new RedisScheduler(connection, options);
}

function troubleAt(connection: Redis): string {
  return `the scheduler cannot use Redis at ${placeOf(connection)}; work continues with a delay of up to 5 s (check that Redis is running and the address is correct)`;
}

class RedisScheduler implements Scheduler {
  private readonly prefix: string;
  private readonly report: Report;
  private readonly sender: WakeUpSender;
  private readonly local: Scheduler;
  /** Delays pass here; only what is due goes through Redis. */
  private readonly delays: Alarm;
  private listener: WakeUpListener | null = null;
  private isClosed = false;

  constructor(
    private readonly connection: Redis,
    options: RedisSchedulerOptions,
  ) {
    this.prefix = options.prefix ?? DEFAULT_PREFIX;
    this.report = boundedReport(options.onError ?? reportToStderr(troubleAt(connection)));
    this.local = localScheduler({ onError: this.report });
    this.sender = new WakeUpSender(connection, {
      prefix: this.prefix,
      // What Redis does not take rings here at least.
      onUnsent: () => this.ring(),
      report: this.report,
    });
    this.delays = new Alarm(() => this.sender.post());
    this.delays.start();
  }

  wake(hints: readonly WakeHint[]): void {
    if (this.isClosed) return;
    for (const { delayMs } of hints) {
      if (delayMs <= 0) this.sender.post();
      else this.delays.set(delayMs);
    }
  }

  async start(onDue: () => Promise<void>): Promise<void> {
    await this.local.start(onDue);
    const onWakeUp = (): void => this.ring();
    this.listener = new WakeUpListener(this.connection, { prefix: this.prefix, onWakeUp, report: this.report });
  }

  async close(graceMs: number): Promise<void> {
    this.isClosed = true;
    this.delays.stop();
    this.sender.close();
    this.listener?.close();
    await this.local.close(graceMs);
  }

  private ring(): void {
    this.local.wake([{ delayMs: 0 }]);
  }
}
