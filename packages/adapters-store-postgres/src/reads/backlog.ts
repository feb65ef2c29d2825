import type { Mode } from '@gateramp/core';
import { type Instant, PAUSED_LANE } from '@gateramp/core/domain';
import { type Backlog, BACKLOG_COUNT_MAX, OVERDUE_MS } from '@gateramp/core/ports';
import type { Database } from '../database.js';

/** Reads only the heads of indexes. Leased work needs no worker until its lease has expired. */
export function backlog(database: Database, schema: string): (mode: Mode, now: Instant) => Promise<Backlog> {
  const count = (rows: string): string =>
    `(select count(*)::int from (select ${rows} limit ${BACKLOG_COUNT_MAX}) counted)`;
  const deliveries = (until: string): string =>
    count(
      `from "${schema}".delivery_queue where mode = $1 and lane in (select "${schema}".lanes_of($1)) and lane <> '${PAUSED_LANE}' and due_at <= ${until}
        and (lease_until is null or lease_until <= ${until})`,
    );
  const tasks = (until: string): string =>
    count(`from "${schema}".tasks where mode = $1 and free_at is not null and free_at <= ${until}`);
  const text = `select ${deliveries('$2')} as "dueDeliveries", ${deliveries('$3')} as "overdueDeliveries",
    ${tasks('$2')} as "dueTasks", ${tasks('$3')} as "overdueTasks",
    ${count(`from "${schema}".sessions where mode = $1 and is_held`)} as "heldSessions"`;
  return async (mode, now) => {
    const [row] = await database.query<Backlog>(text, [mode, now, now - OVERDUE_MS]);
    if (row === undefined) throw new Error('A select of counts answered no row.');
    return row;
  };
}
