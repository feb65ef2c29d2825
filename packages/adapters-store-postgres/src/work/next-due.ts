import type { Mode } from '@gateramp/core';
import { PAUSED_LANE, sandboxEndpoint, type Lane } from '@gateramp/core/domain';
import type { DueItem, SandboxDue, SandboxesDue, WorkKind } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import type { LanePositions } from './lane-positions.js';

interface DueRow {
  /** The index of the question. */
  readonly nth: number;
  readonly kind: 'delivery' | 'task';
  readonly id: string;
  readonly free_at: string;
}

interface Question {
  readonly mode: Mode;
  readonly kinds: readonly WorkKind[] | undefined;
  readonly resolve: (item: DueItem | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The earliest due time of all work, or of these kinds. Questions asked in one turn of the event loop are sent as one
 * statement: a worker asks for both modes.
 */
export function nextDue(
  database: Database,
  positions: LanePositions,
  schema: string,
): (mode: Mode, kinds?: readonly WorkKind[]) => Promise<DueItem | null> {
  let open: Question[] | null = null;

  async function run(all: readonly Question[]): Promise<void> {
    const values: unknown[] = [];
    const text = all.map((question, nth) => selectOf(schema, positions, question, nth, values)).join(' union all ');
    try {
      const rows = await database.query<DueRow>(text, values);
      for (const [nth, { mode, resolve }] of all.entries()) {
        const row = rows.find((one) => one.nth === nth);
        resolve(row === undefined ? null : { kind: row.kind, id: row.id, mode, dueAt: Number(row.free_at) });
      }
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  return (mode, kinds) =>
    new Promise((resolve, reject) => {
      if (open === null) {
        const all: Question[] = [];
        open = all;
        queueMicrotask(() => {
          open = null;
          void run(all);
        });
      }
      open.push({ mode, kinds, resolve, reject });
    });
}

interface SandboxRow extends Omit<DueRow, 'nth'> {
  readonly partner_id: string;
}

/** The next due items of these sandboxes, each by its own time. */
export function sandboxesDue(
  database: Database,
  schema: string,
): (request: SandboxesDue) => Promise<readonly SandboxDue[]> {
  const text = `select kind, id, partner_id, free_at from "${schema}".sandboxes_due($1, $2, $3, $4, $5, $6)`;
  const lanesOf = `select lane from "${schema}".lanes_of('test') as lanes(lane) where lane <> '${PAUSED_LANE}'`;
  return async ({ ahead, kinds, limit }) => {
    if (ahead.size === 0) return [];
    const lanes =
      kinds?.filter((kind) => kind !== 'tasks') ??
      (await database.query<{ lane: Lane }>(lanesOf, [])).map(({ lane }) => lane);
    // Endpoints begin with the partner.
    const suffixes = lanes.map((lane) => sandboxEndpoint('', lane));
    const withTasks = kinds === undefined || kinds.includes('tasks');
    const values = [[...ahead.keys()], [...ahead.values()], lanes, suffixes, withTasks, limit];
    const rows = await database.query<SandboxRow>(text, values);
    return rows.map(({ kind, id, partner_id: partnerId, free_at: freeAt }) => ({
      kind,
      id,
      partnerId,
      mode: 'test',
      dueAt: Number(freeAt),
    }));
  };
}

/** Appends its values to those of the preceding parts. */
function selectOf(
  schema: string,
  positions: LanePositions,
  { mode, kinds }: Question,
  nth: number,
  values: unknown[],
): string {
  const value = (one: unknown): string => `$${values.push(one)}`;
  const ofMode = value(mode);
  const tasks = value(kinds?.includes('tasks') === false ? null : positions.firstDue('tasks', mode));
  const lanes = kinds?.filter((kind) => kind !== 'tasks');
  const select = `select ${nth} as nth, kind, id, free_at from`;
  if (lanes !== undefined) {
    const froms = value(lanes.map((lane) => positions.firstDue(lane, mode)));
    return `${select} "${schema}".next_due_from(${ofMode}, ${value(lanes)}::text[], ${froms}, ${tasks})`;
  }
  const froms = `coalesce((${value(positions.firstDues(mode))}::jsonb ->> lane)::bigint, 0)`;
  return `${select} (
    select array_agg(lane) as lanes, array_agg(${froms}) as froms
    from "${schema}".lanes_of(${ofMode}) as lanes(lane) where lane <> '${PAUSED_LANE}') l
    cross join lateral "${schema}".next_due_from(${ofMode}, l.lanes, l.froms, ${tasks})`;
}
