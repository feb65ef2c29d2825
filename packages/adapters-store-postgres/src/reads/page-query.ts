import type { Scope } from '@gateramp/core';
import type { Instant, PageRequest } from '@gateramp/core/domain';
import { type CreationBounds, idBounds } from '@gateramp/core/runtime';

type Along = 'key' | 'kinds' | 'kinds_of_shard';

export function alongKinds({ isDistributed }: { readonly isDistributed: boolean }): Along {
  return isDistributed ? 'kinds_of_shard' : 'kinds';
}

/**
 * Builds the query of one page: rows of one partner and mode in the order of their ids, which is the order of the key, so a page reads
 * little more than its own rows. The text contains only the requested conditions: each combination gets its own plan.
 */
export class PageQuery {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];
  private readonly page: PageRequest;
  private readonly alias: string;
  private readonly id: string;

  /**
   * A page of `kinds` uses indexes that have the partner in a separate collation (`0002-lists.sql`), which no other query can use.
   * Citus finds the shard only by the column itself, so a page of `kinds_of_shard` names the partner in both ways.
   */
  constructor(alias: string, scope: Scope, page: PageRequest, along: Along = 'key') {
    this.alias = alias;
    this.page = page;
    this.id = `${alias}.id`;
    const inOtherCollation = `${alias}.partner_id collate "POSIX" = ?`;
    const ofPartner = `${alias}.partner_id = ?`;
    this.where(
      { key: ofPartner, kinds: inOtherCollation, kinds_of_shard: `${inOtherCollation} and ${ofPartner}` }[along],
      scope.partnerId,
    );
    this.where(`${alias}.mode = ?`, scope.mode);
    if (page.start.kind === 'after') this.where(`${this.id} < ?`, page.start.id);
    if (page.start.kind === 'before') this.where(`${this.id} > ?`, page.start.id);
  }

  /** Adds a condition on one value, represented by each `?`; does nothing if the value is null. */
  where(condition: string, value: string | number | null): this {
    if (value !== null) this.conditions.push(condition.replaceAll('?', this.value(value)));
    return this;
  }

  /** Limits the time of creation, and the corresponding ids. */
  within(bounds: CreationBounds, idTime: (instant: Instant) => string): this {
    const { from, below } = idBounds(bounds, idTime);
    // The sums keep the planner from using indexes by age, which have rows of all partners. They differ, since the planner assumes a range
    // on one expression to contain almost no rows.
    return this.where(`${this.alias}.created_at + 0 >= ?`, bounds.createdAfter)
      .where(`${this.alias}.created_at - 0 < ?`, bounds.createdBefore)
      .where(`${this.id} >= ?`, from)
      .where(`${this.id} < ?`, below);
  }

  /** Adds a value and returns its placeholder, for the caller's text. */
  value(value: string | number | readonly string[]): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The first two conditions: partner and mode. */
  get ofScope(): string {
    return this.conditions.slice(0, 2).join(' and ');
  }

  /** Repeats the conditions on ids for another table; begins with `and`. */
  andIdsOf(alias: string): string {
    return this.conditions
      .filter((condition) => condition.startsWith(`${this.id} `))
      .map((condition) => `and ${condition.replace(this.id, `${alias}.id`)}`)
      .join(' ');
  }

  /** The text after `from`. */
  get clauses(): string {
    return this.clausesWhere();
  }

  /** The same for a subset of the rows: `more` are conditions whose values already have placeholders. */
  clausesWhere(...more: readonly string[]): string {
    return `where ${[...this.conditions, ...more].join(' and ')} ${this.ending(this.id)}`;
  }

  /** The order and limit of the page. */
  ending(id: string): string {
    return `order by ${id} ${this.direction} limit ${this.page.limit + 1}`;
  }

  get direction(): 'asc' | 'desc' {
    return this.page.start.kind === 'before' ? 'asc' : 'desc';
  }
}
