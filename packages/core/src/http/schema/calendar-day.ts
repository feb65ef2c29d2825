/** Whether `YYYY-MM-DD` is a day there is: `Date.parse` takes 30 February for 2 March. */
export function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}
