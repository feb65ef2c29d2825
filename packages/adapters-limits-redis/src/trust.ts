import { Unanswered } from './answer-within.js';

/** How often an absent Redis is asked again: few enough to be no load, soon enough to be back in a second. */
const ASK_AGAIN_MS = 500;

/** Questions in a row without an answer. */
const SILENT_AFTER = 3;

export interface TrustOptions {
  /** Resolves when Redis does its work in time again. */
  readonly ask: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Called when Redis has not answered for so long that the connection itself is in doubt. */
  readonly onSilent: () => void;
}

/**
 * Whether Redis is asked at all. One failure ends that, so that an outage costs one wait and not one
 * for each request; asking again goes on by itself, with or without requests.
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
    setTimeout(() => void this.askAgain(), ASK_AGAIN_MS).unref();
  }

  private async askAgain(): Promise<void> {
    try {
      await this.options.ask();
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
      // An error of the reporter cannot be reported, and the request must be answered.
    }
  }
}
