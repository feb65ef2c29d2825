import type { Instant, PageRequest } from '@gateramp/core/domain';
import type { Database } from '../database.js';
import { type PartitionRange, readRanges } from '../partitions/layout.js';
import { PARTITION_KEYS, type PartitionedTable } from '../partitions/tables.js';

/** Consecutive partitions that one statement of a page searches: keys from `from` until before `below`. */
export interface Span {
  readonly from: string | number;
  readonly below: string | number;
  /**
   * Whether the bounds are part of the text of the statement: its plan then has only the partitions of the span, which saves the tenth of a
   * millisecond that Postgres takes to leave out the others. Only the first span, so that statements stay few.
   */
  readonly isInText: boolean;
  /**
   * Whether the span leaves out the partitions of coming months, which nearly always have no rows. Its rows are used only if they fill the
   * page and the partner has no row in a coming month (`hasNoneAfter`). Otherwise the next span, which has these partitions, replaces it.
   */
  readonly isTentative: boolean;
}

/** The creation times of the rows that a page may have, and its direction. */
export interface SpanBounds {
  readonly start: PageRequest['start'];
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/** Each statement searches this many times as many partitions as the one before it: sixty months take at most four statements. */
const GROWTH = 4;

/**
 * The spans of a page in the order of its rows. The first is one partition, which nearly always has the whole page: a statement that
 * searches all partitions takes one index step in each of them for every kind of row that the filter allows.
 *
 * Apart from a tentative first one, the spans contain every row of the page once, also if `ranges` are out of date: ranges only determine
 * how fast a page is. `now` only determines which partition is searched first, because clocks that are ahead create rows in later ones.
 */
export function spansOf(
  table: PartitionedTable,
  ranges: readonly PartitionRange[],
  { start, from, until }: SpanBounds,
  now: Instant = Date.now(),
): readonly Span[] {
  const isWithin = (one: Range): boolean =>
    (until === null || one.from === null || one.from <= until) &&
    (from === null || one.until === null || one.until > from);
  const last = Math.max(
    0,
    ranges.findLastIndex((one) => one.hasRows && (one.from ?? now) <= now),
  );
  const newest = ranges[last] ?? WHOLE;
  const searchesComing = newest.until !== null && isWithin({ from: newest.until, until: null });
  const spans: Span[] = [];
  if (searchesComing && start.kind !== 'before' && isWithin(newest))
    spans.push({ ...spanOf(table, newest), isInText: true, isTentative: true });
  // Otherwise the partitions of coming months are searched with the newest one.
  const past: readonly Range[] = ranges.slice(0, last);
  const found = [...past, searchesComing ? { ...newest, until: null } : newest].filter(isWithin);
  const ordered = start.kind === 'before' ? found : found.toReversed();
  for (let at = 0, size = GROWTH ** spans.length; at < ordered.length; at += size, size *= GROWTH) {
    const group = ordered.slice(at, at + size).toSorted((one, other) => (one.from ?? -1) - (other.from ?? -1));
    const range = { from: group[0]?.from ?? null, until: group.at(-1)?.until ?? null };
    spans.push({ ...spanOf(table, range), isInText: spans.length === 0, isTentative: false });
  }
  return spans;
}

/** The partition of an instant; null if that month was dropped. */
export function spanAt(table: PartitionedTable, ranges: readonly PartitionRange[], at: Instant): Span | null {
  const range = ranges.find(({ from, until }) => (from === null || from <= at) && (until === null || at < until));
  return range === undefined ? null : { ...spanOf(table, range), isInText: true, isTentative: false };
}

type Range = Pick<PartitionRange, 'from' | 'until'>;

const WHOLE: Range = { from: null, until: null };

/** The condition of a tentative span, on a page whose first two values are partner and mode. */
export function hasNoneAfter(table: PartitionedTable, { below }: Span, schema: string): string {
  const { column } = PARTITION_KEYS[table];
  return `not exists (select from "${schema}".${table} a where a.partner_id = $1 and a.mode = $2 and a.${column} >= ${literal(below)})`;
}

/** A range without an end has one beyond all keys. */
function spanOf(table: PartitionedTable, { from, until }: Range): Pick<Span, 'from' | 'below'> {
  const { at, least, beyond } = PARTITION_KEYS[table];
  return { from: from === null ? least : at(from), below: until === null ? beyond : at(until) };
}

/** A bound of a span in the text of a statement. `value` adds a value and returns its placeholder. */
export function boundText(
  bound: string | number,
  { isInText }: Span,
  value: (bound: string | number) => string,
): string {
  return isInText ? literal(bound) : value(bound);
}

/**
 * The condition that a column is within bounds, in a form that prunes partitions but cannot become an index condition. With an index
 * condition on a later column of the index, Postgres 18 prepares a skip scan for each step of a recursive query, which takes longer than
 * the step.
 */
export function pruningCondition(column: string, lower: `>= ${string}`, upper: string): string {
  return `(${column} ${lower} and ${column} ${upper} or ${column} ${lower.slice(1)})`;
}

/** A bound in the text of a statement. */
export function literal(bound: string | number): string {
  return typeof bound === 'number' ? String(bound) : `'${bound}'`;
}

/** Ranges change once a month. Until a change is noticed, pages are complete and only take longer. */
const KEPT_MS = 60_000;

/** The ranges of a table's partitions, oldest first; null if it is not partitioned. */
export type RangesOf = (table: PartitionedTable) => Promise<readonly PartitionRange[] | null>;

interface RememberedRanges {
  readonly rangesOf: RangesOf;
  /** Call after a page that timed out: if partitions were merged since the ranges were read, the next page is fast again. */
  readonly forget: () => void;
}

export function rememberedRanges(database: Database, schema: string): RememberedRanges {
  let known: { readonly ranges: ReturnType<typeof readRanges>; readonly at: number } | null = null;
  const rangesOf: RangesOf = async (table) => {
    const now = performance.now();
    if (known === null || now - known.at > KEPT_MS) {
      const asked = { ranges: readRanges(database, schema), at: now };
      known = asked;
      asked.ranges.catch(() => {
        if (known === asked) known = null;
      });
    }
    return (await known.ranges).get(table) ?? null;
  };
  return { rangesOf, forget: () => void (known = null) };
}
