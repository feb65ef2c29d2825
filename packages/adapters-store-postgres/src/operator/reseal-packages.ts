import type { Database } from '../database.js';

interface PackageRow {
  readonly session_id: string;
  readonly sealed: string;
}

const BATCH = 100;

/** Each is replaced only if it is still what was read: one stored meanwhile is sealed under the new key anyway. */
export function resealPackages(
  database: Database,
  schema: string,
): (reseal: (sealed: string) => string) => Promise<number> {
  const read = `select session_id, sealed from "${schema}".kyc_packages where session_id > $1 order by session_id limit ${BATCH}`;
  const replace = `update "${schema}".kyc_packages set sealed = $3 where session_id = $1 and sealed = $2`;
  return async (reseal) => {
    let count = 0;
    for (let after = ''; ;) {
      const rows = await database.query<PackageRow>(read, [after]);
      for (const { session_id: sessionId, sealed } of rows) {
        await database.query(replace, [sessionId, sealed, reseal(sealed)]);
        after = sessionId;
      }
      count += rows.length;
      if (rows.length < BATCH) return count;
    }
  };
}
