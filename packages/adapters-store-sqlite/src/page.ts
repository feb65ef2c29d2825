import type { Scope } from '@gateramp/core';
import type { PageRequest } from '@gateramp/core/domain';
import type { Connection, Value } from './connection.js';

/** A condition on a column, each `?` its value; a null value asks for nothing. */
export type Condition = readonly [text: string, value: Value];

/** Up to `limit + 1` rows of one partner and mode, in the order of their ids. Only what is asked for is in the text. */
export function pageOf<Row>(
  db: Connection,
  select: string,
  { partnerId, mode }: Scope,
  { start, limit }: PageRequest,
  conditions: readonly Condition[],
): readonly Row[] {
  const isForward = start.kind === 'before';
  const asked: readonly Condition[] = [
    ['partner_id = ?', partnerId],
    ['mode = ?', mode],
    [isForward ? 'id > ?' : 'id < ?', start.kind === 'newest' ? null : start.id],
    ...conditions,
  ];
  const used = asked.filter(([, value]) => value !== null);
  const where = used.map(([text]) => text).join(' and ');
  const text = `${select} where ${where} order by id ${isForward ? 'asc' : 'desc'} limit ${limit + 1}`;
  return db.all<Row>(text, ...used.map(([, value]) => value));
}

/** Bounds of creation, inclusive below and exclusive above. */
export function within(range: {
  readonly createdAfter: number | null;
  readonly createdBefore: number | null;
}): readonly Condition[] {
  return [
    ['created_at >= ?', range.createdAfter],
    ['created_at < ?', range.createdBefore],
  ];
}
