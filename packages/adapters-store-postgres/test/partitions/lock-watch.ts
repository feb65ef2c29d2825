import type pg from 'pg';

export interface LockWatch {
  /** The number of samples so far: a clock that stops or slows down with the database and this thread. */
  looks(): number;
  /** Ends the watch. Returns the longest wait of a statement for a lock of a table, in consecutive samples. */
  stop(): Promise<number>;
}

/** The number of samples that takes about a second on an idle machine, and several seconds on a busy one. */
export const LOOKS_OF_A_SECOND = 1_000;

/** Samples the locks of the schema's tables continuously. Waits for exclusive locks, such as those of the conversion, do not count. */
export async function lockWatch(pool: pg.Pool, schema: string): Promise<LockWatch> {
  let isStopped = false;
  let looks = 0;
  let longest = 0;
  let waiting = new Map<string, number>();
  const client = await pool.connect();
  const watching = (async () => {
    while (!isStopped) {
      const { rows } = await client.query<{ id: string }>(
        `select concat_ws(' ', l.pid, l.virtualtransaction, l.relation) as id from pg_locks l join pg_class c on c.oid = l.relation
         where not l.granted and c.relnamespace = to_regnamespace($1) and l.mode <> 'AccessExclusiveLock'`,
        [`"${schema}"`],
      );
      looks += 1;
      waiting = new Map(rows.map(({ id }) => [id, (waiting.get(id) ?? 0) + 1]));
      longest = Math.max(longest, ...waiting.values());
    }
    client.release();
  })();
  return {
    looks: () => looks,
    stop: async () => {
      isStopped = true;
      await watching;
      return longest;
    },
  };
}
