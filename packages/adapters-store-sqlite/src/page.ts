import type { Scope } from '@gateramp/core';
import type { Instant, PageRequest, PageStart } from '@gateramp/core/domain';
import { type CreationBounds, idBounds } from '@gateramp/core/runtime';
import { columnOf } from './columns.js';
import type { Connection, Value } from './connection.js';

/** A condition on a column, with a `?` for each use of its value; a null value means no condition. */
export type Condition = readonly [text: string, value: Value];

/** A list in the order of its ids. */
interface OrderedList {
  /** The table to read, with its index. */
  readonly from: string;
  readonly scope: Scope;
  readonly conditions: readonly Condition[];
  /** Whether the rows are only counted, so that they are null. */
  readonly isCount?: boolean;
}

/** Up to `limit + 1` rows of one partner and mode, in the order of their ids. The text contains only the requested conditions. */
export function pageOf<Row>(db: Connection, list: OrderedList, { start, limit }: PageRequest): readonly Row[] {
  const { where, way, values } = orderedBy(list, start);
  const column = list.isCount === true ? 'null as row' : 'row';
  return db.all<Row>(
    `select ${column} from ${list.from} where ${where} order by id ${way} limit ?`,
    ...values,
    limit + 1,
  );
}

/** The id of the last of the next `rows` rows of a list; null if fewer are left. */
export function endOfSlice(
  db: Connection,
  list: OrderedList,
  { start, rows }: { readonly start: PageStart; readonly rows: number },
): string | null {
  const { where, way, values } = orderedBy(list, start);
  const text = `select id from ${list.from} where ${where} order by id ${way} limit 1 offset ?`;
  return db.all<{ readonly id: string }>(text, ...values, rows - 1)[0]?.id ?? null;
}

function orderedBy({ scope: { partnerId, mode }, conditions }: OrderedList, start: PageStart) {
  const isForward = start.kind === 'before';
  const allConditions: readonly Condition[] = [
    ['partner_id = ?', partnerId],
    ['mode = ?', mode],
    [isForward ? 'id > ?' : 'id < ?', start.kind === 'newest' ? null : start.id],
    ...conditions,
  ];
  const used = allConditions.filter(([, value]) => value !== null);
  return {
    where: used.map(([text]) => text).join(' and '),
    way: isForward ? 'asc' : 'desc',
    values: used.map(([, value]) => value),
  };
}

/**
 * The conditions of a filter: each member is the column of that name, except the bounds of creation, and the bounds of the ids
 * if ids begin with their time (`idTime`).
 */
export function conditionsOf<Filter extends CreationBounds & Readonly<Record<keyof Filter, Value>>>(
  { createdAfter, createdBefore, ...members }: Filter,
  idTime: ((instant: Instant) => string) | null,
): readonly Condition[] {
  const ids = idTime === null ? { from: null, below: null } : idBounds({ createdAfter, createdBefore }, idTime);
  // The remaining members are values, according to the type.
  const columns = Object.entries(members as Readonly<Record<string, Value>>);
  return [
    ...columns.map(([member, value]): Condition => [`${columnOf(member)} = ?`, value]),
    ['created_at >= ?', createdAfter],
    ['created_at < ?', createdBefore],
    ['id >= ?', ids.from],
    ['id < ?', ids.below],
  ];
}
