/** A time of day. Digits are those that amounts are written in. */
export function timeText(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'medium', numberingSystem: 'latn' }).format(new Date(instant));
}

/** A day, and a time of it. */
export function dayAndTimeText(instant: string, locale: string): string {
  const layout = { dateStyle: 'medium', timeStyle: 'short', numberingSystem: 'latn' } as const;
  return new Intl.DateTimeFormat(locale, layout).format(new Date(instant));
}
