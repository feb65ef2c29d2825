import type { Deadlines } from '../../ports/edge.js';
import type { TimeSample } from './time-samples.js';

export interface TimeQuestion {
  readonly ask: () => Promise<number>;
  readonly monotonic: () => number;
  readonly deadlines: Deadlines;
  /** An answer says what time it is to half its round trip; one that took longer says too little. */
  readonly roundTripMaxMs: number;
}

/** Asks once. Null when the answer took too long; throws when there is none, or no time. */
export async function askTime({ ask, monotonic, deadlines, roundTripMaxMs }: TimeQuestion): Promise<TimeSample | null> {
  const asked = monotonic();
  const answer = await deadlines.within(asking(ask), roundTripMaxMs);
  const roundTrip = monotonic() - asked;
  if (answer.kind === 'late' || roundTrip > roundTripMaxMs) return null;
  if (!Number.isFinite(answer.value)) throw new Error(`The store returned an invalid time: ${answer.value}.`);
  const at = asked + roundTrip / 2;
  return { offset: answer.value - at, roundTrip, at };
}

/** Async, so that an `ask` that throws is one that rejects. */
async function asking(ask: () => Promise<number>): Promise<number> {
  return ask();
}
