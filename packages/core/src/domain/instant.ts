/** Epoch milliseconds. Text only on the wire. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** ISO-8601 with milliseconds and a `Z` (spec: Resources, conventions). */
export function isoTime(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function isoTimeOrNull(instant: Instant | null): string | null {
  return instant === null ? null : isoTime(instant);
}

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
