const AGAIN_AFTER_MS = 10_000;

/**
 * Passes on what goes wrong at one place once, and again every ten seconds while it lasts: what looks four times a second would otherwise
 * write the same outage four times a second.
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

/** Messages may hold anything; what is remembered of them has a limit. */
const KEYS_MAX = 100;
