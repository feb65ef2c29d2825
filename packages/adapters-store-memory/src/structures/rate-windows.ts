import { IndexedHeap, type HeapItem } from './indexed-heap.js';

/** More than the single window that a hit can add, so that ended windows are removed faster than new ones are added. */
const DROPS_PER_HIT = 4;

interface Window extends HeapItem {
  readonly name: string;
  readonly endsAt: number;
  hits: number;
}

/** Counted windows, at most `windowsMax`: above that, the window that ends first is dropped. */
export class RateWindows {
  private readonly windows = new Map<string, Window>();
  private readonly ending = new IndexedHeap<Window>((a, b) => a.endsAt < b.endsAt);
  private readonly windowsMax: number;

  constructor(windowsMax: number) {
    this.windowsMax = windowsMax;
  }

  get size(): number {
    return this.windows.size;
  }

  find(name: string, now: number): Readonly<Window> | null {
    const window = this.windows.get(name);
    return window === undefined || window.endsAt <= now ? null : window;
  }

  hit(name: string, windowMs: number, now: number): Readonly<Window> {
    this.dropEnded(now);
    const window = this.windows.get(name);
    if (window !== undefined && window.endsAt > now) {
      window.hits += 1;
      return window;
    }
    if (window !== undefined) this.drop(window);
    return this.open({ name, endsAt: now + windowMs, hits: 1, heapIndex: -1 });
  }

  private open(window: Window): Window {
    const first = this.windows.size < this.windowsMax ? null : this.ending.peek();
    if (first !== null) this.drop(first);
    this.windows.set(window.name, window);
    this.ending.place(window);
    return window;
  }

  private dropEnded(now: number): void {
    for (let drops = 0; drops < DROPS_PER_HIT; drops += 1) {
      const first = this.ending.peek();
      if (first === null || first.endsAt > now) return;
      this.drop(first);
    }
  }

  private drop(window: Window): void {
    this.ending.remove(window);
    this.windows.delete(window.name);
  }
}
