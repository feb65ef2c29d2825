import { DAY, type Instant, type PageRequest, type Scope } from '@gateramp/core';

/** How far the time in an id may be from the instant the row says it was created at. */
const SLACK_MS = DAY;

/**
 * Writes the query of one page: rows of one partner and mode in the order of their ids, which is the order of the key, so a page reads
 * little more than its own rows. Only conditions that are asked for are in the text: each combination gets a plan of its own.
 */
export class PageQuery {
  readonly values: unknown[] = [];
  private readonly conditions: string[] = [];
  private readonly page: PageRequest;
  private readonly alias: string;

  constructor(alias: string, scope: Scope, page: PageRequest) {
    this.alias = alias;
    this.page = page;
    this.where(`${alias}.partner_id = ?`, scope.partnerId);
    this.where(`${alias}.mode = ?`, scope.mode);
    if (page.start.kind === 'after') this.where(`${alias}.id < ?`, page.start.id);
    if (page.start.kind === 'before') this.where(`${alias}.id > ?`, page.start.id);
  }

  /** Adds a condition on one value, each `?` standing for it; none at all when the value is null. */
  where(condition: string, value: string | number | null): this {
    if (value === null) return this;
    this.values.push(value);
    this.conditions.push(condition.replaceAll('?', `$${this.values.length}`));
    return this;
  }

  /** Bounds of creation, inclusive below and exclusive above. */
  within({ createdAfter, createdBefore }: CreationBounds): this {
    return this.where(`${this.alias}.created_at >= ?`, createdAfter).where(`${this.alias}.created_at < ?`, createdBefore);
  }

  /**
   * The same bounds once more, roughly, on ids that begin with their time (`Ids.object`): a window long ago is then found in the key instead
   * of by walking there from the newest.
   */
  withinIds({ createdAfter, createdBefore }: CreationBounds): this {
    return this.within({ createdAfter, createdBefore })
      .where(`${this.alias}.id >= ?`, createdAfter === null ? null : idTime(createdAfter - SLACK_MS))
      .where(`${this.alias}.id < ?`, createdBefore === null ? null : idTime(createdBefore + SLACK_MS));
  }

  /** Everything after `from`. */
  get clauses(): string {
    const direction = this.page.start.kind === 'before' ? 'asc' : 'desc';
    return `where ${this.conditions.join(' and ')} order by ${this.alias}.id ${direction} limit ${this.page.limit + 1}`;
  }
}

export interface CreationBounds {
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** The first twelve characters of ids that are made at `instant`. */
function idTime(instant: Instant): string {
  return Math.max(0, instant).toString(16).padStart(12, '0');
}
