import type { Instant } from '@gateramp/core/domain';
import { IndexedHeap, type HeapItem } from './indexed-heap.js';

interface Kept<Key> extends HeapItem {
  readonly key: Key;
  readonly until: Instant;
}

/**
 * What may be deleted when, soonest first. An entry is a reminder, not a verdict: the row may have
 * been taken over since, so the code that takes a key looks at the row before deleting it.
 */
export class Retention<Key = string> {
  private readonly kept = new IndexedHeap<Kept<Key>>((a, b) => a.until < b.until);

  keep(key: Key, until: Instant): void {
    this.kept.place({ key, until, heapIndex: -1 });
  }

  /** The next key whose time has come; null when there is none. */
  take(now: Instant): Key | null {
    const next = this.kept.peek();
    if (next === null || next.until > now) return null;
    this.kept.pop();
    return next.key;
  }
}
