const AGAIN_AFTER_MS = 10_000;

/**
 * Reports a problem once, and again every ten seconds while it lasts: a poll that runs four times a second would otherwise
 * log the same outage four times a second.
 */
export function spacedReports(
  report: (error: unknown, place: string) => void,
): (error: unknown, place: string) => void {
  const reportedAt = new Map<string, number>();
  return (error, place) => {
    const key = `${place} ${error instanceof Error ? error.message : String(error)}`;
    const now = performance.now();
    if (now - (reportedAt.get(key) ?? -Infinity) < AGAIN_AFTER_MS) return;
    if (reportedAt.size >= KEYS_MAX) reportedAt.clear();
    reportedAt.set(key, now);
    report(error, place);
  };
}

/** Messages may contain anything, so the number of remembered ones is limited. */
const KEYS_MAX = 100;
