import type { Timer, Timers } from '../src/index.js';

/** Time that passes only when it is told to. */
export class VirtualTimers implements Timers {
  private time = 0;
  private made = 0;
  private readonly pending = new Map<Timer, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.time;
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    const timer = (this.made += 1);
    this.pending.set(timer, { at: this.time + Math.max(0, delayMs), run });
    return timer;
  }

  clearTimeout(timer: Timer): void {
    this.pending.delete(timer);
  }

  /** Fires what comes due, in order, and lets each have its say before the next. */
  async elapse(ms: number): Promise<void> {
    const until = this.time + ms;
    await settled();
    for (let due = this.next(until); due !== undefined; due = this.next(until)) {
      const [timer, { at, run }] = due;
      this.pending.delete(timer);
      this.time = Math.max(this.time, at);
      run();
      await settled();
    }
    this.time = until;
  }

  private next(until: number) {
    return [...this.pending].filter(([, { at }]) => at <= until).sort(([, one], [, other]) => one.at - other.at)[0];
  }
}

/** One turn of the event loop lets every promise that can settle do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
