import type { Scope } from '@gateramp/core';
import type { PageRequest } from '@gateramp/core/domain';
import { SortedList } from '../structures/sorted-list.js';

/** Items of each partner and mode in the order of their ids, so that a page reads only its own rows. */
export class ScopedIndex<Item extends { readonly id: string }> {
  private readonly lists = new Map<string, SortedList<Item>>();

  add(scope: Scope, item: Item): void {
    const name = scopeName(scope);
    const list = this.lists.get(name) ?? new SortedList<Item>();
    list.add(item);
    this.lists.set(name, list);
  }

  remove(scope: Scope, id: string): void {
    this.lists.get(scopeName(scope))?.remove(id);
  }

  /** Up to `limit + 1` rows that pass, in the order the page is walked. `read` answers null for a row that does not. */
  page<Row>(scope: Scope, page: PageRequest, read: (item: Item) => Row | null): Row[] {
    const rows: Row[] = [];
    const list = this.lists.get(scopeName(scope));
    if (list === undefined) return rows;
    for (const item of walk(list, page)) {
      const row = read(item);
      if (row !== null) rows.push(row);
      if (rows.length > page.limit) break;
    }
    return rows;
  }
}

/** A cursor is only compared: whether it exists is for the use case to ask. */
function walk<Item extends { readonly id: string }>(list: SortedList<Item>, { start }: PageRequest): Iterable<Item> {
  switch (start.kind) {
    case 'newest':
      return list.below(null);
    case 'after':
      return list.below(start.id);
    case 'before':
      return list.above(start.id);
  }
}

function scopeName(scope: Scope): string {
  return `${scope.partnerId}/${scope.mode}`;
}

/** Rows of another partner or mode are absent. */
export function belongsTo(row: Scope, scope: Scope): boolean {
  return row.partnerId === scope.partnerId && row.mode === scope.mode;
}
