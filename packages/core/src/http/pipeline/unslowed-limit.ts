/** Requests are slowed down when they take this many times as long as one that runs alone. */
const SLOWED_FACTOR = 1.4;

/** The weight of a new duration in the averages. */
const NEW_WEIGHT = 1 / 16;

/** The part of the limit that one slowed request takes away. */
const BACK_OFF = 1 / 32;

/**
 * Measures how many requests may run at once without slowing each other down. The limit rises by one for every `limit` requests and
 * falls while they take `SLOWED_FACTOR` times as long as one that runs alone: high where a request mostly waits for a remote store,
 * low where a core or a disk is the bottleneck.
 */
export class UnslowedLimit {
  private limit: number;
  private recent: number | null = null;
  private baseline = 0;

  constructor(
    private readonly min: number,
    private readonly max: number,
  ) {
    this.limit = min;
  }

  get value(): number {
    return Math.floor(this.limit);
  }

  /** `ranAlone`: no other request ran when it began and when it ended. */
  observe(durationMs: number, ranAlone: boolean): void {
    if (this.recent === null) {
      this.recent = durationMs;
      this.baseline = durationMs;
    }
    this.recent += (durationMs - this.recent) * NEW_WEIGHT;
    // Only a request that ran alone may raise the baseline. Otherwise an overloaded store would become the baseline in time.
    if (durationMs < this.baseline || ranAlone) this.baseline += (durationMs - this.baseline) * NEW_WEIGHT;
    const isSlowed = this.recent > this.baseline * SLOWED_FACTOR;
    this.limit = isSlowed
      ? Math.max(this.min, this.limit * (1 - BACK_OFF))
      : Math.min(this.max, this.limit + 1 / this.limit);
  }
}
