import type { Scope } from '@gateramp/core';
import type { Instant, PageRequest } from '@gateramp/core/domain';
import type { CreatedWithin } from '@gateramp/core/ports';
import { type CreationBounds, idBounds, objectIdTime } from '@gateramp/core/runtime';
import { PARTITION_KEYS, type PartitionedTable } from '../partitions/tables.js';
import { type PageForm, sumOfCounts } from './reading.js';
import { boundText, pruningCondition, type Span, type SpanBounds } from './spans.js';

/** The index that a page is read from. */
type PageIndex = 'key' | 'kinds' | 'kinds_of_shard';

export function indexOfKinds({ isDistributed }: { readonly isDistributed: boolean }): PageIndex {
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
  /** The first conditions: partner and mode, and for a span a `pruningCondition`. */
  readonly ofScope: string;

  /**
   * A page of `kinds` uses indexes that have the partner in a separate collation (`sessions.sql`), which no other query can use.
   * The shard of a distributed table is found only by the column itself, so a page of `kinds_of_shard` names the partner in both ways.
   */
  constructor(alias: string, scope: Scope, page: PageRequest, index: PageIndex = 'key', span: Span | null = null) {
    this.alias = alias;
    this.page = page;
    this.id = `${alias}.id`;
    const inOtherCollation = `${alias}.partner_id collate "POSIX" = ?`;
    const ofPartner = `${alias}.partner_id = ?`;
    this.where(
      { key: ofPartner, kinds: inOtherCollation, kinds_of_shard: `${inOtherCollation} and ${ofPartner}` }[index],
      scope.partnerId,
    );
    this.where(`${alias}.mode = ?`, scope.mode);
    const ofScope = [...this.conditions];
    if (span !== null) {
      const [from, below] = [span.from, span.below].map((bound) =>
        boundText(bound, span, (value) => this.value(value)),
      );
      this.conditions.push(`${this.id} >= ${from}`, `${this.id} < ${below}`);
      ofScope.push(pruningCondition(this.id, `>= ${from}`, `< ${below}`));
    }
    this.ofScope = ofScope.join(' and ');
    if (page.start.kind === 'after') this.where(`${this.id} < ?`, page.start.id);
    if (page.start.kind === 'before') this.where(`${this.id} > ?`, page.start.id);
  }

  /** Adds a condition on one value, represented by each `?`; does nothing if the value is null. */
  where(condition: string, value: string | number | null): this {
    if (value !== null) this.conditions.push(condition.replaceAll('?', this.value(value)));
    return this;
  }

  /** Limits the time of creation, and the corresponding ids. `each`: to those of a row of `countsOfEach`. */
  within(bounds: CreationBounds | 'each', idTime: (instant: Instant) => string): this {
    if (bounds === 'each') return this.withinEach();
    const { from, below } = idBounds(bounds, idTime);
    // The sums keep the planner from using indexes by age, which have rows of all partners. They differ, since the planner assumes a range
    // on one expression to contain almost no rows.
    return this.where(`${this.alias}.created_at + 0 >= ?`, bounds.createdAfter)
      .where(`${this.alias}.created_at - 0 < ?`, bounds.createdBefore)
      .where(`${this.id} >= ?`, from)
      .where(`${this.id} < ?`, below);
  }

  private withinEach(): this {
    const { alias, id } = this;
    this.conditions.push(
      `${alias}.created_at + 0 >= times.created_after`,
      `${alias}.created_at - 0 < times.created_before`,
      `${id} >= times.id_from`,
      `${id} < times.id_below`,
    );
    return this;
  }

  /** Adds a value and returns its placeholder, for the caller's text. */
  value(value: string | number | readonly string[]): string {
    this.values.push(value);
    return `$${this.values.length}`;
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

interface CountOfTime {
  readonly nth: number;
  readonly count: number;
}

/**
 * Counts the rows of each of `times`, up to one more than the limit of `page`, by one statement or one for each span of partitions.
 * `rowsOf` reads a page in the given form, within the bounds of all times.
 */
export async function countsOfEach(
  times: readonly CreatedWithin[],
  page: PageRequest,
  rowsOf: (bounds: CreatedWithin, form: PageForm) => Promise<readonly CountOfTime[]>,
): Promise<readonly number[]> {
  const bounds = {
    createdAfter: Math.min(...times.map(({ createdAfter }) => createdAfter)),
    createdBefore: Math.max(...times.map(({ createdBefore }) => createdBefore)),
  };
  const rows = await rowsOf(bounds, countedEach(times));
  return times.map((_, at) => Math.min(sumOfCounts(rows.filter(({ nth }) => nth === at + 1)), page.limit + 1));
}

function countedEach(times: readonly CreatedWithin[]): PageForm {
  const ids = times.map((time) => idBounds(time, objectIdTime));
  const columns = [
    ['bigint', times.map(({ createdAfter }) => createdAfter)],
    ['bigint', times.map(({ createdBefore }) => createdBefore)],
    ['text', ids.map(({ from }) => from)],
    ['text', ids.map(({ below }) => below)],
  ] as const;
  return {
    isForEach: true,
    sumOf: sumOfCounts,
    as: ({ text, values }) => {
      const arrays = columns.map(([type], nth) => `$${values.length + nth + 1}::${type}[]`);
      return {
        text: `select times.nth::int as nth, counted.count
          from unnest(${arrays.join(', ')}) with ordinality as times(created_after, created_before, id_from, id_below, nth)
          cross join lateral (select count(*)::int as count from (${text}) page) counted`,
        values: [...values, ...columns.map(([, column]) => column)],
      };
    },
  };
}

/** The creation times that rows of a page may have, of a table whose ids begin with their time. */
export function boundsOf(table: PartitionedTable, bounds: CreationBounds, { start }: PageRequest): SpanBounds {
  const { at, instantOf } = PARTITION_KEYS[table];
  const { from, below } = idBounds(bounds, (instant) => String(at(instant)));
  const instant = (id: string | null): Instant | null => (id === null ? null : instantOf(id));
  const cursor = start.kind === 'newest' ? null : instantOf(start.id);
  const isAfter = start.kind === 'after';
  return {
    start,
    from: latest(instant(from), isAfter ? null : cursor),
    until: earliest(instant(below), isAfter ? cursor : null),
  };
}

function latest(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function earliest(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
