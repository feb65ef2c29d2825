import type { Database } from '../database.js';

interface ProbeRow {
  readonly is_waiting: boolean;
  readonly heads: string;
}

/**
 * Whether another process has left something to do: a first attempt that nobody holds (it is due by its nature), or a task, or
 * something for a consumer, that is next and was not at the last look. It compares no instant, because the modes have clocks of their own. One statement over the heads of indexes.
 */
export function probe(database: Database, schema: string): () => Promise<boolean> {
  const waiting = (mode: string) =>
    `exists (select from "${schema}".delivery_queue where mode = '${mode}' and lane = 'first' and lease_token is null)`;
  const head = (mode: string) =>
    `(select free_at || id from "${schema}".tasks where mode = '${mode}' and free_at is not null order by free_at, id limit 1)`;
  // Of each consumer's lane: a head that stays where it is belongs to a consumer that this process has not, and wakes nobody twice.
  const owed = (mode: string) =>
    `(select string_agg(q.free_at || q.id, ' ' order by c.name, c.type) from "${schema}".consumers c cross join lateral (
      select free_at, id from "${schema}".delivery_queue
      where mode = '${mode}' and lane = 'consumer:' || c.name || '/' || c.type order by free_at, id limit 1) q)`;
  const text = `select ${waiting('test')} or ${waiting('live')} as is_waiting, concat_ws(' ', ${head('test')}, ${head('live')}, ${owed('test')}, ${owed('live')}) as heads`;
  let heads = '';
  return async () => {
    const [row] = await database.query<ProbeRow>(text, []);
    if (row === undefined) return false;
    const isNew = row.heads !== heads;
    heads = row.heads;
    return row.is_waiting || (isNew && heads !== '');
  };
}
