import { systemTimers, type Timer, type Timers } from './timers.js';

/** The result of `work`, or null if it takes longer than `limitMs`. The work itself continues. */
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
