import { IndexedHeap, type HeapItem } from './indexed-heap.js';

/** What does not fit is left to the sweep. */
const HINTS_MAX = 100_000;

interface Hint extends HeapItem {
  readonly at: number;
}

/**
 * The instants at which somebody asked to be woken, in whole milliseconds and kept once each, so
 * that a storm of hints costs little.
 */
export class Hints {
  private readonly hints = new IndexedHeap<Hint>((a, b) => a.at < b.at);
  private readonly known = new Set<number>();

  /** Rounded up, as an alarm that is early finds nothing due; "at once" has no fraction to wait for. */
  add(now: number, delayMs: number): void {
    const at = delayMs <= 0 ? Math.floor(now) : Math.ceil(now + delayMs);
    if (!Number.isFinite(at) || this.known.has(at) || this.known.size >= HINTS_MAX) return;
    this.known.add(at);
    this.hints.place({ at, heapIndex: -1 });
  }

  /** The earliest, or null. */
  next(): number | null {
    return this.hints.peek()?.at ?? null;
  }

  /** Forgets everything up to and including `instant`. */
  dropUntil(instant: number): void {
    for (let hint = this.hints.peek(); hint !== null && hint.at <= instant; hint = this.hints.peek()) {
      this.hints.remove(hint);
      this.known.delete(hint.at);
    }
  }
}
