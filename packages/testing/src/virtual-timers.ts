import type { Timer, Timers } from '@gateramp/core/runtime';

/** For schedulers under test. */
export interface VirtualTimers extends Timers {
  /** The number of timers that are set and have not fired. */
  readonly count: () => number;
  /** Advances time and fires due timers in order, with a turn of the event loop after each. */
  readonly elapse: (ms: number) => Promise<void>;
}

/** Timers whose time passes only when a test advances it. */
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

/** In one turn of the event loop, every promise that can settle does so. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
