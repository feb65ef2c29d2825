/** The weight of a new duration in the averages. */
const NEW_SHARE = 1 / 16;

/** The part of the limit that one slowed request takes away. */
const BACK_OFF = 1 / 32;

/**
 * Measures how many requests may run at once without slowing each other down. The limit rises by one for every `limit` requests and
 * falls while they take much longer than usual: high where a request mostly waits for a remote store, low where a core or a disk
 * is the bottleneck.
 */
export class UnslowedLimit {
  private limit: number;
  private recent: number | null = null;
  private usual = 0;

  constructor(
    private readonly min: number,
    private readonly max: number,
    /** Requests are slowed down when they take this many times as long as when few run. */
    private readonly slowedFactor: number,
  ) {
    this.limit = min;
  }

  get value(): number {
    return Math.floor(this.limit);
  }

  observe(durationMs: number): void {
    if (this.recent === null) {
      this.recent = durationMs;
      this.usual = durationMs;
    }
    this.recent += (durationMs - this.recent) * NEW_SHARE;
    // Slower is usual only if it is so while few run; otherwise a slowed store would pass for the usual one in time.
    if (durationMs < this.usual || this.value === this.min) this.usual += (durationMs - this.usual) * NEW_SHARE;
    const isSlowed = this.recent > this.usual * this.slowedFactor;
    this.limit = isSlowed
      ? Math.max(this.min, this.limit * (1 - BACK_OFF))
      : Math.min(this.max, this.limit + 1 / this.limit);
  }
}
