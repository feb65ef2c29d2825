import type { Mode } from '@gateramp/core';
import type { DueItem } from '@gateramp/core/ports';
import type { Database } from '../database.js';

interface DueRow {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly free_at: string;
}

/** The heads of three indexes, whatever lies behind them. */
export function nextDue(database: Database, schema: string): (mode: Mode) => Promise<DueItem | null> {
  const head = (lane: string) =>
    `(select 'delivery' as kind, id, free_at from "${schema}".delivery_queue where mode = $1 and lane = '${lane}' order by free_at, id limit 1)`;
  const text = `select kind, id, free_at from (
      ${head('first')} union all ${head('retry')} union all
      (select 'task' as kind, id, free_at from "${schema}".tasks where mode = $1 and free_at is not null order by free_at, id limit 1)
    ) heads order by free_at, id limit 1`;
  return async (mode) => {
    const [row] = await database.query<DueRow>(text, [mode]);
    return row === undefined ? null : { kind: row.kind, id: row.id, mode, dueAt: Number(row.free_at) };
  };
}
