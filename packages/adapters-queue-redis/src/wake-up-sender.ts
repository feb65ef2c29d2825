import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { atMost } from '@gateramp/core/runtime';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { ownConnection } from './own-connection.js';
import type { Report } from './bounded-report.js';
import { LEAVE_NOTHING, WAKE_UPS } from './wake-up-queue.js';

/** A process sends the first wake-up at once and then at most one in this time, however many it is asked for. */
const SPACING_MS = 5;

const SEND_MAX_MS = 1_000;

/**
 * How many wake-ups of one process can wait unheard while no process listens. BullMQ silently
 * ignores an id that still exists, which bounds them; so many that an id whose job hangs with a
 * killed listener comes round again late and alone.
 */
const UNHEARD_MAX = 64;

/** States of a client that will not send soon. One that is only just connecting is worth the wait. */
const AWAY: ReadonlySet<string> = new Set(['close', 'reconnecting', 'end']);

export interface WakeUpSenderOptions {
  readonly prefix: string;
  /** Hears that a wake-up did not go out in time; it may still arrive. */
  readonly onUnsent: () => void;
  readonly report: Report;
}

/** Sends "something is due", and opens its connection for the first one. At most one is under way. */
export class WakeUpSender {
  private readonly id = randomUUID();
  private open: { readonly connection: Redis; readonly queue: Queue } | null = null;
  private sent = 0;
  private isDue = false;
  private isSending = false;
  private isUnderWay = false;
  private isOwed = false;
  private isClosed = false;

  constructor(
    private readonly pattern: Redis,
    private readonly options: WakeUpSenderOptions,
  ) {}

  /** Returns at once and never throws. */
  post(): void {
    if (this.isClosed) return;
    this.isDue = true;
    if (!this.isSending) void this.sendDue();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.open?.queue.close();
    this.open?.connection.disconnect();
  }

  private async sendDue(): Promise<void> {
    this.isSending = true;
    while (this.isDue && !this.isClosed) {
      this.isDue = false;
      this.isOwed = !(await this.send());
      if (this.isOwed) this.options.onUnsent();
      await rest(SPACING_MS, undefined, { ref: false });
    }
    this.isSending = false;
  }

  /** Whether it went out. While one is stuck, no other is put behind it. */
  private async send(): Promise<boolean> {
    try {
      const { connection, queue } = (this.open ??= this.connect());
      if (this.isUnderWay || AWAY.has(connection.status)) return false;
      return (await atMost(SEND_MAX_MS, this.add(queue))) ?? false;
    } catch (error) {
      if (!this.isClosed) this.options.report(error);
      return false;
    }
  }

  private async add(queue: Queue): Promise<true> {
    this.isUnderWay = true;
    try {
      this.sent += 1;
      await queue.add('due', null, { jobId: `${this.id}-${this.sent % UNHEARD_MAX}`, ...LEAVE_NOTHING });
      return true;
    } finally {
      this.isUnderWay = false;
    }
  }

  private connect(): { readonly connection: Redis; readonly queue: Queue } {
    const connection = ownConnection(this.pattern, 'sending');
    const queue = new Queue(WAKE_UPS, {
      connection,
      prefix: this.options.prefix,
      skipVersionCheck: true,
      // Nobody reads BullMQ's own events.
      streams: { events: { maxLen: 10 } },
    });
    queue.on('error', this.options.report);
    // One wake-up makes good for all that did not go out.
    connection.on('ready', () => {
      if (this.isOwed) this.post();
    });
    return { connection, queue };
  }
}
