import type { Instant } from '@gateramp/core/domain';
import { IndexedHeap, type HeapItem } from '../structures/indexed-heap.js';

export interface DueItem extends HeapItem {
  readonly id: string;
  /** The time at which it may be claimed: its due time, or the end of its lease. */
  due: Instant;
}

/** The work of one endpoint: waiting and leased items. */
export class DueQueue<Item extends DueItem> implements HeapItem {
  heapIndex = -1;
  readonly endpoint: string;
  private readonly waiting = new IndexedHeap<Item>(isSooner);
  private readonly leased = new IndexedHeap<Item>(isSooner);

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  get isEmpty(): boolean {
    return this.waiting.size + this.leased.size === 0;
  }

  wait(item: Item): void {
    this.waiting.place(item);
  }

  lease(item: Item): void {
    this.leased.place(item);
  }

  remove(item: Item): void {
    this.waiting.remove(item);
    this.leased.remove(item);
  }

  /** The item that is free first, waiting or leased. */
  head(): Item | null {
    const waiting = this.waiting.peek();
    const leased = this.leased.peek();
    if (waiting === null || leased === null) return waiting ?? leased;
    return isSooner(leased, waiting) ? leased : waiting;
  }

  /** The number of leases that are valid at `now`. Items with expired leases become waiting again; their tokens remain valid. */
  liveLeases(now: Instant): number {
    for (let next = this.leased.peek(); next !== null && next.due <= now; next = this.leased.peek()) {
      this.leased.remove(next);
      this.waiting.place(next);
    }
    return this.leased.size;
  }

  takeDue(now: Instant): Item | null {
    const next = this.waiting.peek();
    return next === null || next.due > now ? null : this.waiting.pop();
  }
}

/** Oldest due first; at equal times the id decides, which is the order of creation. */
export function isSooner(a: DueItem, b: DueItem): boolean {
  return a.due === b.due ? a.id < b.id : a.due < b.due;
}
