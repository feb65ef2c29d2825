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
  private readonly id: string;

  /** `id` is the id of a row as the index has it that the page is to be walked along. */
  constructor(alias: string, scope: Scope, page: PageRequest, id = `${alias}.id`) {
    this.alias = alias;
    this.page = page;
    this.id = id;
    this.where(`${alias}.partner_id = ?`, scope.partnerId);
    this.where(`${alias}.mode = ?`, scope.mode);
    if (page.start.kind === 'after') this.where(`${id} < ?`, page.start.id);
    if (page.start.kind === 'before') this.where(`${id} > ?`, page.start.id);
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
      .where(`${this.id} >= ?`, createdAfter === null ? null : idTime(createdAfter - SLACK_MS))
      .where(`${this.id} < ?`, createdBefore === null ? null : idTime(createdBefore + SLACK_MS));
  }

  /** The placeholder of one more value, for text of the caller's own. */
  value(value: string | number): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** The first two conditions: whose rows these are. */
  get ofScope(): string {
    return this.conditions.slice(0, 2).join(' and ');
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
    const direction = this.page.start.kind === 'before' ? 'asc' : 'desc';
    return `order by ${id} ${direction} limit ${this.page.limit + 1}`;
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
