const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `"250ms"`, `"30s"`, `"5m"`, `"2h"`, `"1d"`, or milliseconds. */
export type Duration = `${number}${keyof typeof UNITS}` | number;

/** Converts a duration to milliseconds. Throws on invalid text. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') {
    // NaN would stop the clock and make its caller loop.
    if (Number.isFinite(duration)) return duration;
    throw new TypeError(`Invalid duration ${duration}. Use a finite number of milliseconds.`);
  }
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  if (parts === null)
    throw new TypeError(`Invalid duration "${duration}". Use a value such as 250ms, 30s, 5m, 2h or 1d.`);
  // The expression matches exactly these units.
  const unit = parts[2] as keyof typeof UNITS;
  return Number(parts[1]) * UNITS[unit];
}
