import type { Scope } from '@gateramp/core';
import type { PageRequest } from '@gateramp/core/domain';
import type { RowWrite } from '@gateramp/core/ports';
import { belongsTo, isBeforeById, ScopedIndex, walkById, type ById } from './scoped-index.js';

interface Versioned extends Scope {
  readonly version: number;
}

interface Entry<Row> {
  readonly id: string;
  row: Row;
}

/** Rows that are replaced only by a writer that knows their version. Rows themselves are immutable. */
export class VersionedTable<Row extends Versioned> {
  private readonly entries = new Map<string, Entry<Row>>();
  private readonly index = new ScopedIndex<Entry<Row>, ById>(isBeforeById);
  private readonly idOf: (row: Row) => string;

  constructor(idOf: (row: Row) => string) {
    this.idOf = idOf;
  }

  /** All rows, in no order. */
  rows(): readonly Row[] {
    return [...this.entries.values()].map(({ row }) => row);
  }

  find(scope: Scope, id: string): Row | null {
    const row = this.entries.get(id)?.row;
    return row !== undefined && belongsTo(row, scope) ? row : null;
  }

  page(scope: Scope, page: PageRequest, matches: (row: Row) => boolean): Row[] {
    return this.index.page(scope, page.limit, walkById(page), ({ row }) => (matches(row) ? row : null));
  }

  /** An insert requires an unused id, an update the version that it was decided on. */
  accepts(scope: Scope, write: RowWrite<Row>): boolean {
    const id = this.idOf(write.row);
    if (write.expectedVersion === null) return !this.entries.has(id);
    return this.find(scope, id)?.version === write.expectedVersion;
  }

  /** Writes a row that `accepts` has approved. Returns the replaced row. */
  write({ row }: RowWrite<Row>): Row | null {
    const id = this.idOf(row);
    const entry = this.entries.get(id);
    if (entry !== undefined) {
      const former = entry.row;
      entry.row = row;
      return former;
    }
    const fresh = { id, row };
    this.entries.set(id, fresh);
    this.index.add(row, fresh);
    return null;
  }

  remove(row: Row): void {
    const id = this.idOf(row);
    this.entries.delete(id);
    this.index.remove(row, { id });
  }
}
