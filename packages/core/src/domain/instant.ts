/** Epoch milliseconds. Text only on the wire. */
export type Instant = number;

/** In milliseconds, as all of these. */
export const SECOND = 1_000;
/** In milliseconds. */
export const MINUTE = 60 * SECOND;
/** In milliseconds. */
export const HOUR = 60 * MINUTE;
/** In milliseconds; days here have 24 hours. */
export const DAY = 24 * HOUR;

/** ISO-8601 with milliseconds and a `Z` (spec: Resources, conventions). */
export function isoTime(instant: Instant): string {
  // A day apart, as a session's two instants are, must not be one slot.
  const slot = Math.abs(instant + Math.floor(instant / DAY)) % 8;
  if (REMEMBERED[slot]?.instant === instant) return REMEMBERED[slot].text;
  const text = new Date(instant).toISOString();
  REMEMBERED[slot] = { instant, text };
  return text;
}

/** Many rows of one millisecond name the same instants: eight slots remember the last text of each. */
const REMEMBERED: { readonly instant: Instant; readonly text: string }[] = [];

/** `isoTime`, with null for what has not happened. */
export function isoTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoTime(instant);
}

/** Whole seconds, rounded down: as signatures and tokens count. */
export function epochSeconds(instant: Instant): number {
  return Math.floor(instant / SECOND);
}

/** The UTC month an instant falls in, as the half-open range of a quota period. */
export function utcMonth(instant: Instant): { readonly start: Instant; readonly end: Instant } {
  const date = new Date(instant);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}
