/** Small enough for cheap insertions in the middle, large enough to keep the list of chunks short. */
const CHUNK_MAX = 512;

/** Whether one position is before another; two that are not before each other are equal. */
export type Order<Place> = (one: Place, other: Place) => boolean;

/**
 * Items in the order of their positions. The newest item is appended in O(1); a late item is inserted in O(log n + chunk),
 * and iteration starts anywhere in O(log n).
 */
export class SortedList<Item extends Place, Place> {
  /** Never contains an empty chunk. */
  private readonly chunks: Item[][] = [];

  constructor(private readonly isBefore: Order<Place>) {}

  /** The position must be free. */
  add(item: Item): void {
    const last = this.chunks.at(-1);
    const newest = last?.at(-1);
    if (last === undefined || newest === undefined) this.chunks.push([item]);
    else if (this.isBefore(newest, item)) this.append(last, item);
    else this.insert(item);
  }

  /** Does nothing if there is no item at the position. */
  remove(place: Place): void {
    const at = this.firstNotBefore(place);
    const chunk = this.chunks[at.chunk];
    const item = chunk?.[at.index];
    if (chunk === undefined || item === undefined || this.isBefore(place, item)) return;
    chunk.splice(at.index, 1);
    if (chunk.length === 0) this.chunks.splice(at.chunk, 1);
  }

  /** Newest first, from just below `place`; from the newest if it is null. */
  *below(place: Place | null): Generator<Item, void, undefined> {
    const start = place === null ? { chunk: this.chunks.length, index: 0 } : this.firstNotBefore(place);
    for (let chunk = start.chunk; chunk >= 0; chunk -= 1) {
      const items = this.chunks[chunk] ?? [];
      const from = chunk === start.chunk ? start.index : items.length;
      for (let index = from - 1; index >= 0; index -= 1) {
        const item = items[index];
        if (item !== undefined) yield item;
      }
    }
  }

  /** Nearest first, from just above `place` towards the newest. */
  *above(place: Place): Generator<Item, void, undefined> {
    const start = this.firstNotBefore(place);
    for (let chunk = start.chunk; chunk < this.chunks.length; chunk += 1) {
      const items = this.chunks[chunk] ?? [];
      for (let index = chunk === start.chunk ? start.index : 0; index < items.length; index += 1) {
        const item = items[index];
        if (item !== undefined && this.isBefore(place, item)) yield item;
      }
    }
  }

  private append(last: Item[], item: Item): void {
    if (last.length < CHUNK_MAX) last.push(item);
    else this.chunks.push([item]);
  }

  private insert(item: Item): void {
    const at = this.firstNotBefore(item);
    const chunk = this.chunks[at.chunk];
    if (chunk === undefined) return;
    chunk.splice(at.index, 0, item);
    if (chunk.length > CHUNK_MAX) this.chunks.splice(at.chunk + 1, 0, chunk.splice(CHUNK_MAX / 2));
  }

  private firstNotBefore(place: Place): { readonly chunk: number; readonly index: number } {
    const isItemBefore = (item: Item | undefined) => item !== undefined && this.isBefore(item, place);
    const chunk = lowerBound(this.chunks, (items) => isItemBefore(items.at(-1)));
    const index = lowerBound(this.chunks[chunk] ?? [], isItemBefore);
    return { chunk, index };
  }
}

/** The first index whose value is not below; values that are below come first. */
function lowerBound<Value>(values: readonly Value[], isBelow: (value: Value) => boolean): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = values[middle];
    if (value !== undefined && isBelow(value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
