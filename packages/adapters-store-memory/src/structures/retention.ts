import type { Instant } from '@gateramp/core/domain';
import { IndexedHeap, type HeapItem } from './indexed-heap.js';

interface Kept<Key> extends HeapItem {
  readonly key: Key;
  readonly until: Instant;
}

/**
 * Keys that may become deletable, soonest first. An entry is only a reminder: the row may have been reused since, so the
 * caller checks the row before deleting it.
 */
export class Retention<Key = string> {
  private readonly kept = new IndexedHeap<Kept<Key>>((a, b) => a.until < b.until);

  keep(key: Key, until: Instant): void {
    this.kept.place({ key, until, heapIndex: -1 });
  }

  /** The next key that is due; null if there is none. */
  take(now: Instant): Key | null {
    const next = this.kept.peek();
    if (next === null || next.until > now) return null;
    this.kept.pop();
    return next.key;
  }
}
