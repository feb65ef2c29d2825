import { setTimeout as rest } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Report } from './bounded-report.js';
import { answered } from './answered.js';
import { replaceSilent } from './connection/index.js';
import { ownConnection } from './own-connection.js';
import { wakeUpList } from './wake-up-list.js';

export interface WakeUpListenerOptions {
  readonly prefix: string;
  readonly onWakeUp: () => void;
  readonly report: Report;
}

/** How long Redis blocks the command while there is no wake-up. */
const BLOCK_SECONDS = 1;

/** Without a reply for this long, the connection is considered dead. */
const SILENT_MAX_MS = 2_500;

const AFTER_TROUBLE_MS = 1_000;

/**
 * Receives wake-ups, each in one of the listening processes. A wake-up that is lost with its process delays its work until the next sweep.
 */
export class WakeUpListener {
  private readonly connection: Redis;
  private isClosed = false;

  constructor(
    pattern: Redis,
    private readonly options: WakeUpListenerOptions,
  ) {
    this.connection = ownConnection(pattern, 'listening');
    this.connection.on('error', options.report);
    void this.listen();
  }

  close(): void {
    this.isClosed = true;
    this.connection.disconnect();
  }

  private async listen(): Promise<void> {
    while (!this.isClosed) {
      try {
        if (await this.receive()) this.options.onWakeUp();
      } catch (error) {
        if (this.isClosed) return;
        this.options.report(error);
        await rest(AFTER_TROUBLE_MS, undefined, { ref: false });
      }
    }
  }

  /** Returns false if there was no wake-up for a while. ioredis sends the command again after a reconnect, so it is never issued twice. */
  private async receive(): Promise<boolean> {
    const reply = this.connection
      .blpop(wakeUpList(this.options.prefix), BLOCK_SECONDS)
      .then((found: unknown) => ({ found }));
    let answer = await answered(SILENT_MAX_MS, reply);
    while (answer === null) {
      replaceSilent(this.connection);
      answer = await answered(SILENT_MAX_MS, reply);
    }
    if (answer.found !== null && !Array.isArray(answer.found))
      throw new Error('Redis sent a message that is not a wake-up.');
    return answer.found !== null;
  }
}
