export type Report = (error: unknown) => void;

const REPEAT_MS = 10_000;

/** Some name a job, so there is no end of different ones. */
const REMEMBERED_MAX = 20;

/**
 * A reporter that may throw, and that hears the same trouble once every ten seconds: three
 * connections that try again and again would otherwise report one outage hundreds of times.
 */
export function boundedReport(report: Report): Report {
  const reportedAt = new Map<string, number>();
  return (error) => {
    const text = String(error);
    const now = performance.now();
    if (now - (reportedAt.get(text) ?? -Infinity) < REPEAT_MS) return;
    if (reportedAt.size >= REMEMBERED_MAX) reportedAt.clear();
    reportedAt.set(text, now);
    try {
      report(error);
    } catch {
      // It cannot be reported, and the alarm must continue.
    }
  };
}
