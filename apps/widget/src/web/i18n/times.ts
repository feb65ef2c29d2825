/** Formats a time of day, with the same digits as amounts. */
export function timeText(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'medium', numberingSystem: 'latn' }).format(new Date(instant));
}

/** Formats a date and time. */
export function dayAndTimeText(instant: string, locale: string): string {
  const layout = { dateStyle: 'medium', timeStyle: 'short', numberingSystem: 'latn' } as const;
  return new Intl.DateTimeFormat(locale, layout).format(new Date(instant));
}
