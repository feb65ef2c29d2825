/** The weight of a new duration in the averages. */
const NEW_SHARE = 1 / 16;

/** The fraction of the limit removed by one slowed request. */
const BACK_OFF = 1 / 32;

/**
 * Measures how many requests can run concurrently without slowing each other down. The limit rises by one per `limit` requests and falls
 * while they take much longer than usual: high if requests mostly wait for a remote store, low if a core or a disk is the bottleneck.
 */
export class UnslowedLimit {
  private limit: number;
  private recent: number | null = null;
  private usual = 0;

  constructor(
    private readonly min: number,
    private readonly max: number,
    /** Requests count as slowed when they take this many times as long as when few run. */
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
    // Longer durations become usual only while few requests run; otherwise a slowed store would eventually pass for normal.
    if (durationMs < this.usual || this.value === this.min) this.usual += (durationMs - this.usual) * NEW_SHARE;
    const isSlowed = this.recent > this.usual * this.slowedFactor;
    this.limit = isSlowed
      ? Math.max(this.min, this.limit * (1 - BACK_OFF))
      : Math.min(this.max, this.limit + 1 / this.limit);
  }
}
