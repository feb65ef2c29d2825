import type pg from 'pg';
import { SCHEMA } from '../database/schema.js';

/**
 * The server, its timeline, the database and the table. A restored server has another timeline, a server created from a dump another system
 * identifier, and a restored database another object id. The timeline is read from the current WAL position, since the control file learns
 * of a promotion only at the next checkpoint. Partitioning makes a new table of sessions and notes the id of the former one, which holds as
 * long as `settings` is the table in which it was noted.
 */
const IDENTITY = `select concat_ws('/', (select system_identifier from pg_control_system()),
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
  (select oid from pg_database where datname = current_database()), coalesce(
    (select split_part(value, '/', 2) from "${SCHEMA}".settings
      where name = 'sessions_identity' and split_part(value, '/', 1) = to_regclass('"${SCHEMA}".settings')::oid::text),
    to_regclass('"${SCHEMA}".sessions')::oid::text)) as identity`;

/** Identifies the history of the database; null if its role lacks the permission, as on some managed servers. */
export async function databaseIdentity(database: Pick<pg.ClientBase, 'query'>): Promise<string | null> {
  try {
    const { rows } = await database.query<{ identity: string }>(IDENTITY);
    return rows[0] === undefined ? null : `postgres:${rows[0].identity}`;
  } catch (error) {
    if (error instanceof Error && 'severity' in error) return null;
    throw error;
  }
}
