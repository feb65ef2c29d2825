/** One answer to "what time is it?". */
export interface TimeSample {
  /** The answer less our own time half-way between asking and hearing it. */
  readonly offset: number;
  readonly roundTrip: number;
  /** On our own time. */
  readonly at: number;
}

/** How fast two clocks may part: as fast as any that is worth the name. */
const DRIFT = 500e-6;
/** What an answer in whole milliseconds leaves out. */
const GRAIN_MS = 1;

/**
 * The most exact of those that the newest agrees with; null if it agrees with none. An answer that stands alone is a
 * fault or the first after a clock was set; the next one shows which. `samples` are in the order they were taken.
 */
export function bestSample(samples: readonly TimeSample[]): TimeSample | null {
  const newest = samples.at(-1);
  if (newest === undefined) return null;
  const error = (sample: TimeSample): number => sample.roundTrip / 2 + (newest.at - sample.at) * DRIFT + GRAIN_MS;
  const agreeing = samples
    .slice(0, -1)
    .filter((sample) => Math.abs(sample.offset - newest.offset) <= error(sample) + error(newest));
  if (agreeing.length === 0) return null;
  return agreeing.reduce((best, sample) => (error(sample) < error(best) ? sample : best), newest);
}
