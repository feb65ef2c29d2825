const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Ctrl-C in a terminal reaches the whole process group, and a parent may forward it: signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

/** Calls `stop` at the first signal and `force` at a later one, when the operator does not want to wait. */
export function onStopSignal(stop: () => void, force: () => void): void {
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt === null) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
