const TICK_MS = 10;
/** A timer is this late on a machine that is not busy, garbage collection aside. */
const TICK_MAX_MS = 2 * TICK_MS;

/**
 * Measures milliseconds without the pauses of this thread: while other work on the machine keeps the event loop from turning, one tick is
 * counted. This lets a test hold the product to a time limit on a busy machine. Only for waiting: work that blocks the event loop is not
 * counted either.
 */
export function stopwatch(): () => number {
  let [spent, last] = [0, performance.now()];
  const count = (): void => {
    const now = performance.now();
    spent += Math.min(now - last, TICK_MAX_MS);
    last = now;
  };
  const ticks = setInterval(count, TICK_MS);
  return () => {
    clearInterval(ticks);
    count();
    return spent;
  };
}
