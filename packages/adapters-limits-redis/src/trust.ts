import { Unanswered } from './answer-within.js';

/** The interval of probes during an outage: rare enough to be no load, and frequent enough to recover within a second. */
const PROBE_INTERVAL_MS = 500;

/** The number of consecutive probes without an answer. */
const SILENT_AFTER = 3;

export interface TrustOptions {
  /** Resolves when Redis works in time again. */
  readonly probe: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Called when Redis has not answered for so long that the connection may be dead. */
  readonly onSilent: () => void;
}

/**
 * Whether Redis is used at all. One failure stops that, so that an outage costs one wait rather than one per request.
 * Probing continues independently of requests.
 */
export class Trust {
  private lost = false;
  private unanswered = 0;

  constructor(private readonly options: TrustOptions) {}

  get isLost(): boolean {
    return this.lost;
  }

  lose(cause: unknown): void {
    if (this.lost) return;
    this.lost = true;
    this.report(cause);
    this.askLater();
  }

  private askLater(): void {
    setTimeout(() => void this.probeAgain(), PROBE_INTERVAL_MS).unref();
  }

  private async probeAgain(): Promise<void> {
    try {
      await this.options.probe();
      this.lost = false;
      this.unanswered = 0;
    } catch (error) {
      this.unanswered = error instanceof Unanswered ? this.unanswered + 1 : 0;
      if (this.unanswered === SILENT_AFTER) {
        this.unanswered = 0;
        this.options.onSilent();
      }
      this.askLater();
    }
  }

  private report(cause: unknown): void {
    try {
      this.options.onError(cause);
    } catch {
      // An error of the callback cannot be reported, and the request must be answered.
    }
  }
}
