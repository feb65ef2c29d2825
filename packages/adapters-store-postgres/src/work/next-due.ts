import type { Mode } from '@gateramp/core';
import type { DueItem, WorkKind } from '@gateramp/core/ports';
import type { Database } from '../database.js';

interface DueRow {
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly free_at: string;
}

/** The earliest of all that is due or will be, or of these kinds alone. */
export function nextDue(
  database: Database,
  schema: string,
): (mode: Mode, kinds?: readonly WorkKind[]) => Promise<DueItem | null> {
  const ofThese = `select kind, id, free_at from "${schema}".next_due($1, $2::text[], $3)`;
  const ofAll = `select kind, id, free_at from "${schema}".next_due($1, array(select "${schema}".lanes_of($1)), true)`;
  return async (mode, kinds) => {
    const [row] = await (kinds === undefined
      ? database.query<DueRow>(ofAll, [mode])
      : database.query<DueRow>(ofThese, [mode, kinds.filter((kind) => kind !== 'tasks'), kinds.includes('tasks')]));
    return row === undefined ? null : { kind: row.kind, id: row.id, mode, dueAt: Number(row.free_at) };
  };
}
