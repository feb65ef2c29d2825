import { systemTimers, type Timer, type Timers } from './timers.js';

/** What `work` resolves to, or null when it takes longer than `limitMs`. It is not stopped by that. */
export async function atMost<Value>(
  limitMs: number,
  work: Promise<Value>,
  timers: Timers = systemTimers,
): Promise<Value | null> {
  let timer: Timer | null = null;
  const late = new Promise<null>((resolve) => {
    timer = timers.setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    if (timer !== null) timers.clearTimeout(timer);
  }
}
