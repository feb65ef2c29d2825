/** Epoch milliseconds. Formatted as text only on the wire. */
export type Instant = number;

/** In milliseconds. */
export const SECOND = 1_000;
/** In milliseconds. */
export const MINUTE = 60 * SECOND;
/** In milliseconds. */
export const HOUR = 60 * MINUTE;
/** In milliseconds; a day has exactly 24 hours. */
export const DAY = 24 * HOUR;

/** ISO-8601 with milliseconds and a `Z` (spec: Conventions 4). */
export function isoTime(instant: Instant): string {
  // Two instants a day apart, such as a session's creation and expiry, must not share a slot.
  const slot = Math.abs(instant + Math.floor(instant / DAY)) % 8;
  if (REMEMBERED[slot]?.instant === instant) return REMEMBERED[slot].text;
  const text = new Date(instant).toISOString();
  REMEMBERED[slot] = { instant, text };
  return text;
}

/** Rows often share a millisecond, so the last text of each of eight slots is cached. */
const REMEMBERED: { readonly instant: Instant; readonly text: string }[] = [];

/** Like `isoTime`; null stays null. */
export function isoTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoTime(instant);
}

/** Whole seconds, rounded down, as used by signatures and tokens. */
export function epochSeconds(instant: Instant): number {
  return Math.floor(instant / SECOND);
}

/** The UTC month that contains the instant, as the half-open range of a quota period. */
export function utcMonth(instant: Instant): { readonly start: Instant; readonly end: Instant } {
  const date = new Date(instant);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month, 1), end: Date.UTC(year, month + 1, 1) };
}
