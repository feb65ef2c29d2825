const TICK_MS = 10;
/** A timer is this late on a machine that is not busy, garbage collection aside. */
const TICK_MAX_MS = 2 * TICK_MS;

/**
 * Measures how long something takes in the time that this thread had, in milliseconds: while the event loop does not turn, because other
 * tests use the processors, one tick is counted. A limit of the product can so be held to on a busy machine. Only for what waits; work
 * that keeps the event loop busy is not counted.
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
