import type { Scheduler, WakeHint } from '@gateramp/core/ports';
import { Alarm, localScheduler, reportToStderr } from '@gateramp/core/runtime';
import type { Redis } from 'ioredis';
import { closeOnProtocolError, placeOf, redisOutage } from './connection/index.js';
import { boundedReport, type Report } from './bounded-report.js';
import { WakeUpListener } from './wake-up-listener.js';
import { WakeUpSender } from './wake-up-sender.js';

/** The key prefix and the error callback. */
export interface RedisSchedulerOptions {
  /** The prefix of every key of this gate in Redis. Processes with the same prefix wake each other. */
  readonly prefix?: string;
  /** Called with errors of `onDue`, and with those of Redis (`outage: true`) every ten seconds. Default: writes to stderr. */
  readonly onError?: (error: unknown) => void;
}

const DEFAULT_PREFIX = 'gateramp';

/**
 * A scheduler that wakes any free process: a hint from one process is received by one of the started processes. Redis only carries wake-ups
 * that are due now: delays elapse in the process that scheduled them, and every started process sweeps on its own timer. So a Redis that is
 * flushed, killed or silent costs at most the wait for the next sweep.
 *
 * The given connection is a template for the scheduler's own (one after the first hint, two once
 * started), and is neither opened nor closed.
 */
export function redisScheduler(connection: Redis, options: RedisSchedulerOptions = {}): Scheduler {
  // Without a listener, the client writes its errors to the console.
  connection.on('error', () => undefined);
  closeOnProtocolError(connection);
  return new RedisScheduler(connection, options);
}

function troubleAt(connection: Redis): string {
  return `the scheduler cannot use Redis at ${placeOf(connection)}; work continues with a delay of up to 5 s (check that Redis is running and the address is correct)`;
}

class RedisScheduler implements Scheduler {
  readonly contract = 2;
  private readonly prefix: string;
  /** Reports an error of Redis; those of the work itself are reported as they are. */
  private readonly report: Report;
  private readonly sender: WakeUpSender;
  private readonly local: Scheduler;
  /** Delays elapse here; only due hints go through Redis. */
  private readonly delays: Alarm;
  private listener: WakeUpListener | null = null;
  private isClosed = false;

  constructor(
    private readonly connection: Redis,
    options: RedisSchedulerOptions,
  ) {
    this.prefix = options.prefix ?? DEFAULT_PREFIX;
    const report = boundedReport(options.onError ?? reportToStderr(troubleAt(connection)));
    this.report = (error) => report(redisOutage(connection, error));
    this.local = localScheduler({ onError: report });
    this.sender = new WakeUpSender(connection, {
      prefix: this.prefix,
      // If Redis does not accept it, at least this process wakes.
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
