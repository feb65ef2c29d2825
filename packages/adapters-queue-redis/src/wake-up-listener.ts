import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { ownConnection } from './own-connection.js';
import type { Report } from './bounded-report.js';
import { LEAVE_NOTHING, WAKE_UPS } from './wake-up-queue.js';

export interface WakeUpListenerOptions {
  readonly prefix: string;
  /** Must not wait: a wake-up that is done with at once cannot be orphaned by a crash. */
  readonly onWakeUp: () => void;
  readonly report: Report;
}

/** Hears wake-ups, each in one process of all that listen. */
export class WakeUpListener {
  private readonly connection: Redis;
  private readonly worker: Worker;

  constructor(pattern: Redis, { prefix, onWakeUp, report }: WakeUpListenerOptions) {
    this.connection = ownConnection(pattern, 'listening');
    this.worker = new Worker(WAKE_UPS, async () => onWakeUp(), {
      connection: this.connection,
      prefix,
      ...LEAVE_NOTHING,
      skipLockRenewal: true,
      // It would write to the console what it thinks of the server; commands without fractions of a second serve us.
      skipVersionCheck: true,
      runRetryDelay: 1_000,
    });
    this.worker.on('error', report);
  }

  /** Does not wait for Redis to say goodbye, which it might never do. */
  async close(): Promise<void> {
    await this.worker.close(true);
    this.connection.disconnect();
  }
}
