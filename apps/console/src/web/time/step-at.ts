import type { History, Step } from '../wire/types.js';

/** A step and the one before it. */
export interface Moment {
  readonly at: number;
  readonly step: Step;
  readonly earlier: Step | null;
}

/**
 * The moment that the address names by the sequence of its event: that step, or the last one before it. Without a readable sequence the
 * latest.
 */
export function momentOf({ steps }: History, sequence: string | undefined): Moment | null {
  const wanted = sequence === undefined || !/^\d+$/.test(sequence) ? Infinity : Number(sequence);
  const until = steps.filter((step) => step.sequence <= wanted).length;
  const at = Math.max(until - 1, 0);
  const step = steps[at];
  return step === undefined ? null : { at, step, earlier: steps[at - 1] ?? null };
}
