export type Report = (error: unknown) => void;

const REPEAT_MS = 10_000;

/** Some name a job, so there is no end of different ones. */
const TOLD_MAX = 20;

/**
 * A reporter that may throw, and that hears the same trouble once every ten seconds: three
 * connections that try again and again would otherwise tell of one outage hundreds of times.
 */
export function quietly(tell: Report): Report {
  const toldAt = new Map<string, number>();
  return (error) => {
    const text = String(error);
    const now = performance.now();
    if (now - (toldAt.get(text) ?? -Infinity) < REPEAT_MS) return;
    if (toldAt.size >= TOLD_MAX) toldAt.clear();
    toldAt.set(text, now);
    try {
      tell(error);
    } catch {
      // It has nobody left to report to, and the alarm must go on.
    }
  };
}
