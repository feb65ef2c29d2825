import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { answered } from './answered.js';
import { isAway, replaceSilent } from './connection/index.js';
import { ownConnection } from './own-connection.js';
import type { Report } from './bounded-report.js';
import { wakeUpList } from './wake-up-list.js';

/** A process sends the first wake-up at once and then at most one per interval. */
const SPACING_MS = 5;

const SEND_MAX_MS = 1_000;

/** The maximum number of waiting wake-ups while no process listens. They only say that something is due, so one would suffice. */
const UNHEARD_MAX = 64;

export interface WakeUpSenderOptions {
  readonly prefix: string;
  /** Called when a wake-up was not sent in time; it may still arrive. */
  readonly onUnsent: () => void;
  readonly report: Report;
}

/** Sends "something is due", and opens its connection for the first wake-up. Sends at most one at a time. */
export class WakeUpSender {
  private connection: Redis | null = null;
  private isDue = false;
  private isSending = false;
  private isUnderWay = false;
  private isOwed = false;
  private isClosed = false;

  constructor(
    private readonly pattern: Redis,
    private readonly options: WakeUpSenderOptions,
  ) {}

  /** Returns immediately and never throws. */
  post(): void {
    if (this.isClosed) return;
    this.isDue = true;
    if (!this.isSending) void this.sendDue();
  }

  close(): void {
    this.isClosed = true;
    this.connection?.disconnect();
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

  /** Whether it was sent. While one is pending, no other is queued behind it. */
  private async send(): Promise<boolean> {
    try {
      const connection = (this.connection ??= this.connect());
      if (this.isUnderWay || isAway(connection)) return false;
      const wasReady = connection.status === 'ready';
      const isSent = await answered(SEND_MAX_MS, this.add(connection));
      if (isSent === null && wasReady) replaceSilent(connection);
      return isSent ?? false;
    } catch (error) {
      if (!this.isClosed) this.options.report(error);
      return false;
    }
  }

  private async add(connection: Redis): Promise<true> {
    this.isUnderWay = true;
    try {
      if (connection.status !== 'ready') await once(connection, 'ready');
      const list = wakeUpList(this.options.prefix);
      const waiting = await connection.rpush(list, '');
      if (waiting > UNHEARD_MAX) await connection.ltrim(list, 0, UNHEARD_MAX - 1);
      return true;
    } finally {
      this.isUnderWay = false;
    }
  }

  private connect(): Redis {
    const connection = ownConnection(this.pattern, 'sending');
    connection.on('error', this.options.report);
    // One wake-up replaces all that were not sent.
    connection.on('ready', () => {
      if (this.isOwed) this.post();
    });
    return connection;
  }
}
