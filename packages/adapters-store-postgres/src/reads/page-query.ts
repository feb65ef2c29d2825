import type { Scope } from '@gateramp/core';
import { MINUTE, type Instant, type PageRequest } from '@gateramp/core/domain';

/** How far the time in an id may be from the instant the row says it was created at: an id is minted before what is asked of the host. */
const SLACK_MS = MINUTE;

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

  /**
   * Bounds of creation, inclusive below and exclusive above, and the same once more, roughly, on ids, which begin with their time: a window
   * long ago is then found in the index instead of by walking there from the newest.
   */
  within({ createdAfter, createdBefore }: CreationBounds, idTime: (instant: Instant) => string): this {
    // Sums hide the column from indexes by age, which have rows of all partners; two, for a range of one is taken to have next to none.
    return this.where(`${this.alias}.created_at + 0 >= ?`, createdAfter)
      .where(`${this.alias}.created_at - 0 < ?`, createdBefore)
      .where(`${this.id} >= ?`, createdAfter === null ? null : idTime(Math.max(0, createdAfter - SLACK_MS)))
      .where(`${this.id} < ?`, createdBefore === null ? null : idTime(Math.max(0, createdBefore + SLACK_MS)));
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

interface CreationBounds {
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** The first twelve characters of object ids that are made at `instant` (`Ids.object`). */
export function objectIdTime(instant: Instant): string {
  return instant.toString(16).padStart(12, '0');
}

/** The first fourteen characters of transaction ids that are made at `instant` or before 25 ms have passed (`Ids.transaction`). */
export function transactionIdTime(instant: Instant): string {
  return `gtx_${(instant * 4).toString(32).padStart(10, '0')}`;
}
