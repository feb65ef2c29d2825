import type { Timers } from '../src/index.js';

/** A clock that stands still until it is told to move; timers fire in order on the way. */
export class VirtualTimers implements Timers {
  private instant = 0;
  private nextId = 1;
  private readonly pending = new Map<number, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.instant;
  }

  get count(): number {
    return this.pending.size;
  }

  setTimeout(run: () => void, delayMs: number): number {
    const id = this.nextId++;
    this.pending.set(id, { at: this.instant + delayMs, run });
    return id;
  }

  clearTimeout(timer: number): void {
    this.pending.delete(timer);
  }

  async elapse(ms: number): Promise<void> {
    const end = this.instant + ms;
    for (let next = this.first(end); next !== null; next = this.first(end)) {
      this.pending.delete(next.id);
      this.instant = next.at;
      next.run();
      await settled();
    }
    this.instant = end;
    await settled();
  }

  private first(end: number): { readonly id: number; readonly at: number; readonly run: () => void } | null {
    const due = [...this.pending].map(([id, timer]) => ({ id, ...timer })).filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at)[0] ?? null;
  }
}

/** Lets everything that waits for nothing but promises run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
