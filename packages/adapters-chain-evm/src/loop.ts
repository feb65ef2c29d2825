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
  /** Counts starts, so that a round of an earlier one schedules no other. */
  let starts = 0;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  function next(delayMs: number): void {
    const start = starts;
    timer = setTimeout(() => {
      round = round
        .then(work)
        .catch(failed)
        .finally(() => {
          if (isStarted && start === starts) next(everyMs);
        });
    }, delayMs);
    timer.unref();
  }

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      starts += 1;
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
