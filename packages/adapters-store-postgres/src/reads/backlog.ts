import type { Mode } from '@gateramp/core';
import { type Instant, PAUSED_LANE } from '@gateramp/core/domain';
import { type Backlog, BACKLOG_COUNT_MAX, OVERDUE_MS } from '@gateramp/core/ports';
import type { ReadHead } from './unfinished-work.js';

/** Counts from the head that take longer are repeated only as often as keeps them below this share of the time. */
const SLOW_MS = 100;
const SHARE = 1 / 50;

/**
 * Where counts of one mode start. All rows that were overdue at the last count belong to an endpoint in `heads`, and are due at its start
 * or later. Only rows that were committed late or resumed since are missing.
 */
interface Starts {
  readonly from: Instant;
  readonly tasks: Instant;
  readonly heads: readonly { readonly lane: string; readonly endpoint: string; readonly start: Instant }[];
}

interface CountedRow extends Backlog {
  readonly heads: Starts['heads'] | null;
  /** The last due time read in a lane with more rows than are read. `bigint` arrives as text. */
  readonly readUntil: string | null;
  readonly tasks: string;
}

const HEAD: Starts = { from: 0, tasks: 0, heads: [] };

/**
 * Reads only the heads of indexes. Leased work needs no worker until its lease has expired.
 *
 * While a transaction holds a snapshot, the heads are dead entries of work that was finished since. A slow count is therefore followed by
 * counts that start where the previous one found rows, until another count from the head stays within `SHARE`.
 */
export function backlog(
  readHead: ReadHead,
  schema: string,
  clock: () => number = () => performance.now(),
): (mode: Mode, now: Instant) => Promise<Backlog> {
  const count = (rows: string): string =>
    `(select count(*)::int from (select ${rows} limit ${BACKLOG_COUNT_MAX}) counted)`;
  // $2 is now, $3 when work that is overdue was due, $4 and $5 where deliveries and tasks start.
  const ofLanes = `select lanes.lane, q.* from lanes cross join lateral (
      select endpoint, due_at, lease_until from "${schema}".delivery_queue
      where mode = $1 and lane = lanes.lane and due_at >= $4 and due_at <= $2 order by due_at limit ${BACKLOG_COUNT_MAX}) q`;
  // The endpoint contains the mode. With a condition on the mode, the planner would take the index of the lane instead.
  const ofHeads = (limit: number): string => `from heads cross join lateral (
      select due_at, lease_until from "${schema}".delivery_queue
      where lane = heads.lane and endpoint = heads.endpoint and due_at >= heads.start and due_at < $4 and due_at <= $2
      order by due_at limit ${limit}) q`;
  const due = (until: string): string =>
    `where due_at <= ${until} and (lease_until is null or lease_until <= ${until})`;
  const deliveries = (until: string): string =>
    count(`from (
      (select 1 from of_lanes ${due(until)}) union all (select 1 ${ofHeads(BACKLOG_COUNT_MAX)} ${due(until)})) both_kinds`);
  const tasks = (until: string): string =>
    count(`from "${schema}".tasks where mode = $1 and free_at >= $5 and free_at <= ${until} order by free_at`);
  const text = `with lanes as materialized (select lane from "${schema}".lanes_of($1) as of_mode(lane) where lane <> '${PAUSED_LANE}'),
      of_lanes as materialized (${ofLanes}),
      heads as materialized (select * from jsonb_to_recordset($6::jsonb) as h(lane text, endpoint text, start bigint))
    select ${deliveries('$2')} as "dueDeliveries", ${deliveries('$3')} as "overdueDeliveries",
    ${tasks('$2')} as "dueTasks", ${tasks('$3')} as "overdueTasks",
    ${count(`from "${schema}".sessions where mode = $1 and is_held`)} as "heldSessions",
    (select json_agg(json_build_object('lane', lane, 'endpoint', endpoint, 'start', start)) from (
      select lane, endpoint, min(due_at) as start from (
        (select lane, endpoint, due_at from of_lanes where due_at < $3)
        union all (select lane, endpoint, due_at ${ofHeads(1)})) found
      group by lane, endpoint) first) as heads,
    (select min(last) from (
      select max(due_at) as last from of_lanes group by lane having count(*) = ${BACKLOG_COUNT_MAX}) full_lanes) as "readUntil",
    least($3, (select free_at from "${schema}".tasks where mode = $1 and free_at >= $5 order by free_at limit 1)) as tasks`;
  const known = new Map<Mode, { readonly starts: Starts; readonly headAt: number }>();
  return async (mode, now) => {
    const startedAt = clock();
    const last = known.get(mode);
    const isFromHead = last === undefined || startedAt >= last.headAt || now < last.starts.from;
    const { from, tasks: fromTasks, heads } = isFromHead ? HEAD : last.starts;
    const overdue = now - OVERDUE_MS;
    const values = [mode, now, overdue, from, fromTasks, JSON.stringify(heads)];
    const [row] = await readHead<CountedRow>({ text, values });
    if (row === undefined) throw new Error('A select of counts answered no row.');
    const { heads: nextHeads, tasks: nextTasks, readUntil, ...counts } = row;
    const next = readUntil === null ? overdue : Math.min(overdue, Number(readUntil));
    const starts = { from: Math.max(from, next), tasks: Number(nextTasks), heads: nextHeads ?? [] };
    if (!isFromHead) known.set(mode, { ...last, starts });
    else {
      const took = clock() - startedAt;
      known.set(mode, { starts, headAt: startedAt + (took > SLOW_MS ? took / SHARE : 0) });
    }
    return counts;
  };
}
