export type Report = (error: unknown) => void;

const REPEAT_MS = 10_000;

/** Some messages contain a job's name, so their number is unlimited. */
const REMEMBERED_MAX = 20;

/**
 * Wraps a reporter, which may throw, so that it receives the same problem once every ten seconds: three reconnecting clients would
 * otherwise report one outage hundreds of times.
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
      // It cannot be reported, and the scheduler must continue.
    }
  };
}
