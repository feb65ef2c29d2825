import type { Timer, Timers } from '@gateramp/core/runtime';

/** For schedulers under test. */
export interface VirtualTimers extends Timers {
  /** How many are set and have not fired. */
  readonly count: () => number;
  /** Moves time on, firing what comes due in order and letting each have its say before the next. */
  readonly elapse: (ms: number) => Promise<void>;
}

/** Time that passes only when a test lets it. */
export function virtualTimers(): VirtualTimers {
  let now = 0;
  let minted = 0;
  const pending = new Map<Timer, { readonly at: number; readonly run: () => void }>();

  const nextDue = (until: number) =>
    [...pending].filter(([, { at }]) => at <= until).toSorted(([, one], [, other]) => one.at - other.at)[0];

  return {
    now: () => now,
    count: () => pending.size,
    setTimeout(run, delayMs) {
      const timer = (minted += 1);
      pending.set(timer, { at: now + Math.max(0, delayMs), run });
      return timer;
    },
    clearTimeout: (timer) => void pending.delete(timer),
    async elapse(ms) {
      const until = now + ms;
      await aTurn();
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        const [timer, { at, run }] = due;
        pending.delete(timer);
        now = Math.max(now, at);
        run();
        await aTurn();
      }
      now = until;
    },
  };
}

/** One turn of the event loop lets every promise go on that can. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
