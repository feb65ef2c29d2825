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
 * Every row is in exactly one span, wherever spans end. Ending them where partitions do only makes pages faster.
 */
export function spansOf(
  table: PartitionedTable,
  ranges: readonly PartitionRange[],
  { start, from, until }: SpanBounds,
): readonly Span[] {
  // The partitions of coming months are searched with the newest one that has rows.
  const last = Math.max(
    0,
    ranges.findLastIndex(({ hasRows }) => hasRows),
  );
  const filled = ranges.slice(0, last + 1).map((range, nth) => (nth === last ? { ...range, until: null } : range));
  const found = filled.filter(
    (one) =>
      (until === null || one.from === null || one.from <= until) &&
      (from === null || one.until === null || one.until > from),
  );
  const ordered = start.kind === 'before' ? found : found.toReversed();
  const spans: Span[] = [];
  for (let at = 0, size = 1; at < ordered.length; at += size, size *= GROWTH) {
    const group = ordered.slice(at, at + size).toSorted((one, other) => (one.from ?? -1) - (other.from ?? -1));
    spans.push({ ...spanOf(table, group[0]?.from ?? null, group.at(-1)?.until ?? null), isInText: at === 0 });
  }
  return spans;
}

/** A range without an end has one beyond all keys. */
function spanOf(table: PartitionedTable, from: Instant | null, until: Instant | null): Omit<Span, 'isInText'> {
  const { at, least, beyond } = PARTITION_KEYS[table];
  return { from: from === null ? least : at(from), below: until === null ? beyond : at(until) };
}

/** A bound of a span in the text of a statement. `value` adds a value and returns its placeholder. */
export function boundText(
  bound: string | number,
  { isInText }: Span,
  value: (bound: string | number) => string,
): string {
  if (!isInText) return value(bound);
  return typeof bound === 'number' ? String(bound) : `'${bound}'`;
}

/** Ranges change once a month. Until a change is noticed, pages are complete and only take longer. */
const KEPT_MS = 60_000;

/** The ranges of a table's partitions, oldest first; null if it is not partitioned. */
type RangesOf = (table: PartitionedTable) => Promise<readonly PartitionRange[] | null>;

export function rememberedRanges(database: Database, schema: string): RangesOf {
  let known: { readonly ranges: ReturnType<typeof readRanges>; readonly at: number } | null = null;
  return async (table) => {
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
}
