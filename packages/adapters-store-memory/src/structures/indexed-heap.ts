export interface HeapItem {
  /** The item's index in its heap; -1 if it is in none. Written only by the heap. */
  heapIndex: number;
}

/**
 * A min-heap whose items know their index, so that any of them can be moved or removed in O(log n). No outdated entries remain: a recorded
 * delivery leaves nothing behind until its lease would have ended.
 */
export class IndexedHeap<Item extends HeapItem> {
  private readonly items: Item[] = [];
  private readonly comesBefore: (a: Item, b: Item) => boolean;

  constructor(comesBefore: (a: Item, b: Item) => boolean) {
    this.comesBefore = comesBefore;
  }

  get size(): number {
    return this.items.length;
  }

  peek(): Item | null {
    return this.items[0] ?? null;
  }

  pop(): Item | null {
    const first = this.peek();
    if (first !== null) this.remove(first);
    return first;
  }

  /** Adds the item, or moves it to the position of its changed order. */
  place(item: Item): void {
    if (!this.has(item)) {
      if (item.heapIndex !== -1) throw new Error('The item is in another heap.');
      this.rise(item, this.items.length);
      return;
    }
    const before = item.heapIndex;
    this.rise(item, before);
    if (item.heapIndex === before) this.sink(item, before);
  }

  /** Does nothing if the item is not in this heap. */
  remove(item: Item): void {
    if (!this.has(item)) return;
    const hole = item.heapIndex;
    item.heapIndex = -1;
    const last = this.items.pop();
    if (last === undefined || last === item) return;
    this.seat(last, hole);
    this.place(last);
  }

  private has(item: Item): boolean {
    return this.items[item.heapIndex] === item;
  }

  private rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.items[above];
      if (parent === undefined || !this.comesBefore(item, parent)) break;
      this.seat(parent, index);
      index = above;
    }
    this.seat(item, index);
  }

  private sink(item: Item, from: number): void {
    let index = from;
    for (;;) {
      const child = this.sooner(2 * index + 1, 2 * index + 2);
      if (child === null || !this.comesBefore(child, item)) break;
      const below = child.heapIndex;
      this.seat(child, index);
      index = below;
    }
    this.seat(item, index);
  }

  private sooner(left: number, right: number): Item | null {
    const a = this.items[left];
    const b = this.items[right];
    if (a === undefined) return null;
    return b !== undefined && this.comesBefore(b, a) ? b : a;
  }

  private seat(item: Item, index: number): void {
    this.items[index] = item;
    item.heapIndex = index;
  }
}
