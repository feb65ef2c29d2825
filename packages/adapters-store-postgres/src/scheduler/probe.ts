import type { Database } from '../database.js';

interface ProbeRow {
  readonly newest: string;
  readonly heads: string;
}

/** `new` is what was not there at the last look. */
export type Look = 'nothing' | 'waiting' | 'new';

/**
 * Whether another process has left something to do: a first attempt that is not leased (it is due by its nature), or a
 * task, or something for a consumer, that is next and was not at the last look. It compares no instant, because the
 * modes have clocks of their own. One statement over the ends of indexes: of first attempts the newest is looked at, as
 * one that cannot be taken hides none that come after it.
 */
export function probe(database: Database, schema: string): () => Promise<Look> {
  const newest = (mode: string) =>
    `(select id from "${schema}".delivery_queue where mode = '${mode}' and lane = 'first' and lease_token is null
      order by due_at desc, id desc limit 1)`;
  const head = (mode: string) =>
    `(select free_at || id from "${schema}".tasks where mode = '${mode}' and free_at is not null order by free_at, id limit 1)`;
  // Of each consumer's lane: a head that stays where it is belongs to a consumer that this process lacks, and wakes no worker twice.
  const owed = (mode: string) =>
    `(select string_agg(q.due_at || q.id, ' ' order by c.name, c.type) from "${schema}".consumers c cross join lateral (
      select due_at, id from "${schema}".delivery_queue
      where mode = '${mode}' and lane = 'consumer:' || c.name || '/' || c.type and lease_token is null
      order by due_at, id limit 1) q)`;
  const text = `select concat_ws(' ', ${newest('test')}, ${newest('live')}) as newest,
    concat_ws(' ', ${head('test')}, ${head('live')}, ${owed('test')}, ${owed('live')}) as heads`;
  let last: ProbeRow = { newest: '', heads: '' };
  return async () => {
    const [row] = await database.query<ProbeRow>(text, []);
    if (row === undefined) return 'nothing';
    const isNew = (row.newest !== last.newest && row.newest !== '') || (row.heads !== last.heads && row.heads !== '');
    last = row;
    return isNew ? 'new' : row.newest === '' ? 'nothing' : 'waiting';
  };
}
