import type { Scope } from '@gateramp/core';
import type { Instant, PageRequest } from '@gateramp/core/domain';
import { type CreationBounds, idBounds } from '@gateramp/core/runtime';

/**
 * Writes the query of one page: rows of one partner and mode in the order of their ids, which is the order of the key, so a page reads
 * little more than its own rows. Only conditions that are asked for are in the text: each combination gets a plan of its own.
 */
export class PageQuery {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];
  private readonly page: PageRequest;
  private readonly alias: string;
  private readonly id: string;

  /**
   * A page of `kinds` is walked along indexes that have the partner in a collation of their own (`0002-lists.sql`), and
   * no other can be.
   */
  constructor(alias: string, scope: Scope, page: PageRequest, along: 'key' | 'kinds' = 'key') {
    this.alias = alias;
    this.page = page;
    this.id = `${alias}.id`;
    this.where(`${alias}.partner_id${along === 'kinds' ? ' collate "POSIX"' : ''} = ?`, scope.partnerId);
    this.where(`${alias}.mode = ?`, scope.mode);
    if (page.start.kind === 'after') this.where(`${this.id} < ?`, page.start.id);
    if (page.start.kind === 'before') this.where(`${this.id} > ?`, page.start.id);
  }

  /** Adds a condition on one value, each `?` standing for it; none at all when the value is null. */
  where(condition: string, value: string | number | null): this {
    if (value !== null) this.conditions.push(condition.replaceAll('?', this.value(value)));
    return this;
  }

  /** Bounds of creation, and those of the ids. */
  within(bounds: CreationBounds, idTime: (instant: Instant) => string): this {
    const { from, below } = idBounds(bounds, idTime);
    // Sums hide the column from indexes by age, which have rows of all partners; two, for a range of one is taken to have next to none.
    return this.where(`${this.alias}.created_at + 0 >= ?`, bounds.createdAfter)
      .where(`${this.alias}.created_at - 0 < ?`, bounds.createdBefore)
      .where(`${this.id} >= ?`, from)
      .where(`${this.id} < ?`, below);
  }

  /** The placeholder of one more value, for text of the caller's own. */
  value(value: string | number | readonly string[]): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The first two conditions: whose rows these are. */
  get ofScope(): string {
    return this.conditions.slice(0, 2).join(' and ');
  }

  /** The conditions on ids once more, of another table that has them; begins with `and`. */
  andIdsOf(alias: string): string {
    return this.conditions
      .filter((condition) => condition.startsWith(`${this.id} `))
      .map((condition) => `and ${condition.replace(this.id, `${alias}.id`)}`)
      .join(' ');
  }

  /** Everything after `from`. */
  get clauses(): string {
    return this.clausesWhere();
  }

  /** The same for a part of the rows: `more` are conditions on values that have their placeholders. */
  clausesWhere(...more: readonly string[]): string {
    return `where ${[...this.conditions, ...more].join(' and ')} ${this.ending(this.id)}`;
  }

  /** Order and limit of the page. */
  ending(id: string): string {
    return `order by ${id} ${this.direction} limit ${this.page.limit + 1}`;
  }

  get direction(): 'asc' | 'desc' {
    return this.page.start.kind === 'before' ? 'asc' : 'desc';
  }
}
