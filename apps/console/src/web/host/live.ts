/** Callbacks for the events of a stream. */
export interface StreamListener {
  readonly opened: () => void;
  readonly lost: () => void;
  /** The data of a message. */
  readonly changed: (data: string) => void;
}

export interface LiveParts {
  /** Returns a function that closes the stream. */
  readonly open: (path: string, listener: StreamListener) => () => void;
  /** Calls back after a delay. Returns a function that cancels it. */
  readonly later: (run: () => void, delayMs: number) => () => void;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Receives the topics that may have changed: with pace `at_once` for every hint, and `by_minute` for all hints of a minute together. */
  readonly onChanged: (topics: readonly string[], pace: Pace) => void;
  /** Called each time a stream has opened: what was read before may lack a change of which there is no hint. */
  readonly onOpened: () => void;
  /** Whether the visitor is still signed in. Null if the service does not answer. */
  readonly isSignedIn: () => Promise<boolean | null>;
  readonly onSignedOut: () => void;
}

/** How soon a resource is reloaded after a hint. `by_minute`: at once, but at most once a minute. */
export type Pace = 'at_once' | 'by_minute';

const MINUTE_MS = 60_000;

/** Delays between reconnection attempts: the first, and the limit to which they double. */
const PAUSE_MIN_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

/**
 * Follows the stream of a path while the page is visible: `off` → `open` → `waiting` (with exponential backoff) → `open`. An
 * `EventSource` does not report why a stream was lost or refused, so each reconnection first checks whether the visitor is still signed in.
 */
export class Live {
  private path: string | null = null;
  private isVisible = true;
  private close: (() => void) | null = null;
  private cancelWait: (() => void) | null = null;
  private tries = 0;
  private run = 0;
  /** The topics received since the last call by minute; null if there was none in the last minute. */
  private sinceMinute: Set<string> | null = null;
  private cancelMinute: (() => void) | null = null;

  constructor(private readonly parts: LiveParts) {}

  /** Null closes the stream. */
  follow(path: string | null): void {
    if (path === this.path) return;
    this.path = path;
    this.restart();
  }

  /** A hidden page has no stream; it reloads its data when it becomes visible again. */
  show(isVisible: boolean): void {
    if (isVisible === this.isVisible) return;
    this.isVisible = isVisible;
    this.restart();
  }

  private restart(): void {
    this.stop();
    this.tries = 0;
    if (this.path !== null && this.isVisible) this.connect(this.path);
  }

  private stop(): void {
    this.run += 1;
    this.close?.();
    this.close = null;
    this.cancelWait?.();
    this.cancelWait = null;
    this.cancelMinute?.();
    this.cancelMinute = null;
    // All resources are read again once the next stream has opened, so collected topics are dropped.
    this.sinceMinute = null;
  }

  private connect(path: string): void {
    const { open, onOpened } = this.parts;
    this.close = open(path, {
      opened: () => {
        this.tries = 0;
        onOpened();
      },
      lost: () => this.lost(path),
      changed: (data) => this.changed(topicsOf(data)),
    });
  }

  private changed(topics: readonly string[]): void {
    this.parts.onChanged(topics, 'at_once');
    if (this.sinceMinute === null) this.passOn(topics);
    else for (const topic of topics) this.sinceMinute.add(topic);
  }

  /** Reports topics with pace `by_minute`, and collects further topics for a minute. */
  private passOn(topics: readonly string[]): void {
    this.parts.onChanged(topics, 'by_minute');
    this.sinceMinute = new Set();
    this.cancelMinute = this.parts.later(() => {
      this.cancelMinute = null;
      const since = [...(this.sinceMinute ?? [])];
      this.sinceMinute = null;
      if (since.length > 0) this.passOn(since);
    }, MINUTE_MS);
  }

  private lost(path: string): void {
    this.stop();
    const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** this.tries, PAUSE_MAX_MS);
    this.tries += 1;
    // Jitter, so that pages do not all reconnect at once after a restart of the server.
    this.cancelWait = this.parts.later(() => void this.tryAgain(path), pauseMs * (0.5 + this.parts.random() / 2));
  }

  private async tryAgain(path: string): Promise<void> {
    this.cancelWait = null;
    const { run } = this;
    const isSignedIn = await this.parts.isSignedIn();
    if (run !== this.run) return;
    if (isSignedIn === true) this.connect(path);
    else if (isSignedIn === null) this.lost(path);
    else this.parts.onSignedOut();
  }
}

function topicsOf(data: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(data) as object);
  } catch {
    return [];
  }
}
