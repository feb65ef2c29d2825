import type { Mode } from '@gateramp/core';
import type { DueItem } from '@gateramp/core/ports';
import type { Database } from '../database.js';

interface DueRow {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly free_at: string;
}

/** The earliest of all that is due or will be. */
export function nextDue(database: Database, schema: string): (mode: Mode) => Promise<DueItem | null> {
  const text = `select kind, id, free_at from "${schema}".next_due($1)`;
  return async (mode) => {
    const [row] = await database.query<DueRow>(text, [mode]);
    return row === undefined ? null : { kind: row.kind, id: row.id, mode, dueAt: Number(row.free_at) };
  };
}
