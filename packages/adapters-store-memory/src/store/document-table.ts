import type { Mode, Scope } from '@gateramp/core';
import type { Instant, PageRequest } from '@gateramp/core/domain';
import type { Document, DocumentFilter, RowWrite } from '@gateramp/core/ports';
import { Retention } from '../structures/retention.js';
import { matchesDocument } from './filters.js';
import { VersionedTable } from './versioned-table.js';

/** Documents in one table per noun, partner and mode: the same id in two of them means two documents. */
export class DocumentTable {
  private readonly tables = new Map<string, VersionedTable<Document>>();
  private readonly kept: Record<Mode, Retention<Document>> = { test: new Retention(), live: new Retention() };

  find(scope: Scope, noun: string, id: string): Document | null {
    return this.tables.get(nameOf(scope, noun))?.find(scope, id) ?? null;
  }

  page(scope: Scope, noun: string, page: PageRequest, filter: DocumentFilter): Document[] {
    return this.tables.get(nameOf(scope, noun))?.page(scope, page, matchesDocument(filter)) ?? [];
  }

  accepts(scope: Scope, write: RowWrite<Document>): boolean {
    return this.of(scope, write.row.noun).accepts(scope, write);
  }

  write(write: RowWrite<Document>): void {
    const { row } = write;
    this.of(row, row.noun).write(write);
    if (row.keepUntil !== null) this.kept[row.mode].keep(row, row.keepUntil);
  }

  /** A document that was written again may be kept longer: it has a later reminder. */
  reapOne(mode: Mode, now: Instant): 'deleted' | 'kept' | 'none' {
    const reminded = this.kept[mode].take(now - 1);
    if (reminded === null) return 'none';
    const row = this.find(reminded, reminded.noun, reminded.id);
    if (row === null || row.keepUntil === null || row.keepUntil >= now) return 'kept';
    this.of(row, row.noun).remove(row);
    return 'deleted';
  }

  private of(scope: Scope, noun: string): VersionedTable<Document> {
    const name = nameOf(scope, noun);
    const table = this.tables.get(name) ?? new VersionedTable<Document>(({ id }) => id);
    this.tables.set(name, table);
    return table;
  }
}

function nameOf({ partnerId, mode }: Scope, noun: string): string {
  return `${partnerId}/${mode}/${noun}`;
}
