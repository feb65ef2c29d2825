import type { Scope } from '@gateramp/core';
import { MINUTE, type Instant, type PageRequest, type PageStart } from '@gateramp/core/domain';
import { columnOf } from './columns.js';
import type { Connection, Value } from './connection.js';

/** A condition on a column, each `?` its value; a null value asks for nothing. */
export type Condition = readonly [text: string, value: Value];

/** Up to `limit + 1` rows of one partner and mode, in the order of their ids. Only what is asked for is in the text. */
export function pageOf<Row>(
  db: Connection,
  select: string,
  scope: Scope,
  { start, limit }: PageRequest,
  conditions: readonly Condition[],
): readonly Row[] {
  const { where, way, values } = orderedBy(scope, start, conditions);
  return db.all<Row>(`${select} where ${where} order by id ${way} limit ?`, ...values, limit + 1);
}

/** The id of the row that ends the next `rows` of a list; null when so many are not left. */
export function endOfSlice(
  db: Connection,
  from: string,
  scope: Scope,
  start: PageStart,
  rows: number,
  conditions: readonly Condition[],
): string | null {
  const { where, way, values } = orderedBy(scope, start, conditions);
  const text = `select id from ${from} where ${where} order by id ${way} limit 1 offset ?`;
  return db.all<{ readonly id: string }>(text, ...values, rows - 1)[0]?.id ?? null;
}

function orderedBy({ partnerId, mode }: Scope, start: PageStart, conditions: readonly Condition[]) {
  const isForward = start.kind === 'before';
  const asked: readonly Condition[] = [
    ['partner_id = ?', partnerId],
    ['mode = ?', mode],
    [isForward ? 'id > ?' : 'id < ?', start.kind === 'newest' ? null : start.id],
    ...conditions,
  ];
  const used = asked.filter(([, value]) => value !== null);
  return {
    where: used.map(([text]) => text).join(' and '),
    way: isForward ? 'asc' : 'desc',
    values: used.map(([, value]) => value),
  };
}

export interface CreationBounds {
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** How far the time in an id may be from the instant the row says it was created at: an id is minted before what is asked of the host. */
const SLACK_MS = MINUTE;

/**
 * What a filter asks: each of its members is the column of that name, but for the bounds of creation, inclusive below
 * and exclusive above. Where ids begin with their time (`idTime`) these are asked of them once more, roughly: a window
 * long ago is then found in the index instead of by walking there from the newest.
 */
export function askedBy<Filter extends CreationBounds & Readonly<Record<keyof Filter, Value>>>(
  { createdAfter, createdBefore, ...members }: Filter,
  idTime: ((instant: Instant) => string) | null,
): readonly Condition[] {
  // Whatever is left of a filter is values, as its type says.
  const columns = Object.entries(members as Readonly<Record<string, Value>>);
  return [
    ...columns.map(([member, value]): Condition => [`${columnOf(member)} = ?`, value]),
    ['created_at >= ?', createdAfter],
    ['created_at < ?', createdBefore],
    ['id >= ?', idTime === null || createdAfter === null ? null : idTime(Math.max(0, createdAfter - SLACK_MS))],
    ['id < ?', idTime === null || createdBefore === null ? null : idTime(Math.max(0, createdBefore + SLACK_MS))],
  ];
}

/** The first twelve digits of ids that are made at `instant` (`Ids.object`). */
export function objectIdTime(instant: Instant): string {
  return instant.toString(16).padStart(12, '0');
}

/** The first fourteen characters of transaction ids that are made at `instant` or before 25 ms have passed (`Ids.transaction`). */
export function transactionIdTime(instant: Instant): string {
  return `gtx_${(instant * 4).toString(32).padStart(10, '0')}`;
}
