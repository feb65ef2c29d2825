/** Repeated work, one round at a time. */
export interface Loop {
  start(): void;
  /** Resolves when the current round is done. */
  stop(): Promise<void>;
  /** Runs one round now and throws its errors. */
  once(): Promise<void>;
}

/** Repeats work with a pause of `everyMs`. The error of a failed round is passed to `failed`, and the next round follows as usual. */
export function loopOf(
  work: () => Promise<void>,
  { everyMs, failed }: { everyMs: number; failed: (error: unknown) => void },
): Loop {
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  function next(delayMs: number): void {
    timer = setTimeout(() => {
      round = work()
        .catch(failed)
        .finally(() => {
          if (isStarted) next(everyMs);
        });
    }, delayMs);
    timer.unref();
  }

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      next(0);
    },
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      await round;
    },
    once: work,
  };
}
