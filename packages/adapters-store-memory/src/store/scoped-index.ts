import type { Mode, Scope } from '@gateramp/core';
import type { PageRequest } from '@gateramp/core/domain';
import { SortedList, type Order } from '../structures/sorted-list.js';

/** Sorted items of each partner and mode, so that a page reads only its own rows. */
export class ScopedIndex<Item extends Place, Place> {
  private readonly lists: Record<Mode, Map<string, SortedList<Item, Place>>> = { test: new Map(), live: new Map() };

  constructor(private readonly isBefore: Order<Place>) {}

  add(scope: Scope, item: Item): void {
    let list = this.listOf(scope);
    if (list === undefined) this.lists[scope.mode].set(scope.partnerId, (list = new SortedList(this.isBefore)));
    list.add(item);
  }

  remove(scope: Scope, place: Place): void {
    this.listOf(scope)?.remove(place);
  }

  /** Up to `limit + 1` matching rows, in the order of the walk. `read` returns null for a row that does not match. */
  page<Row>(scope: Scope, limit: number, walk: Walk<Place>, read: (item: Item) => Row | null): Row[] {
    const rows: Row[] = [];
    const list = this.listOf(scope);
    if (list === undefined) return rows;
    for (const item of walk.towards === 'newer' ? list.above(walk.from) : list.below(walk.from)) {
      const row = read(item);
      if (row !== null) rows.push(row);
      if (rows.length > limit) break;
    }
    return rows;
  }

  private listOf({ partnerId, mode }: Scope): SortedList<Item, Place> | undefined {
    return this.lists[mode].get(partnerId);
  }
}

/** The start and direction of a page. Null is the newest item. */
export type Walk<Place> =
  | { readonly towards: 'older'; readonly from: Place | null }
  | { readonly towards: 'newer'; readonly from: Place };

export function walkFrom<Place>(kind: 'after' | 'before', from: Place): Walk<Place> {
  return { towards: kind === 'before' ? 'newer' : 'older', from };
}

export const FROM_THE_NEWEST = { towards: 'older', from: null } as const;

/** A row identified by its id: ids are in the order of creation. */
export interface ById {
  readonly id: string;
}

export function isBeforeById(one: ById, other: ById): boolean {
  return one.id < other.id;
}

/** The cursor is only compared: the use case checks whether it exists. */
export function walkById({ start }: PageRequest): Walk<ById> {
  return start.kind === 'newest' ? FROM_THE_NEWEST : walkFrom(start.kind, { id: start.id });
}

/** Rows of another partner or mode are absent. */
export function belongsTo(row: Scope, scope: Scope): boolean {
  return row.partnerId === scope.partnerId && row.mode === scope.mode;
}
