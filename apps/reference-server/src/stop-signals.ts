const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A terminal's Ctrl-C reaches the whole group, and a parent may pass it on: within this time it is the same one. */
const SAME_SIGNAL_MS = 1_000;

/** Calls `stop` at the first signal and `force` at a later one: the operator does not want to wait. */
export function onStopSignal(stop: () => void, force: () => void): void {
  let firstAt: number | null = null;
  const hear = (): void => {
    if (firstAt === null) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, hear);
}
