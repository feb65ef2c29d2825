import audit from '../../sql/migrations/0001-schema/audit.sql';
import claims from '../../sql/migrations/0001-schema/claims.sql';
import commitChanges from '../../sql/migrations/0001-schema/commit-changes.sql';
import commitNewRows from '../../sql/migrations/0001-schema/commit-new-rows.sql';
import deliveries from '../../sql/migrations/0001-schema/deliveries.sql';
import events from '../../sql/migrations/0001-schema/events.sql';
import legs from '../../sql/migrations/0001-schema/legs.sql';
import partners from '../../sql/migrations/0001-schema/partners.sql';
import sandboxes from '../../sql/migrations/0001-schema/sandboxes.sql';
import sessions from '../../sql/migrations/0001-schema/sessions.sql';
import tasks from '../../sql/migrations/0001-schema/tasks.sql';

/** One numbered step of the schema, as plain SQL. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * Plain SQL for one schema; a host may run it with its own tool instead of `migrate`. A file that creates or drops an index
   * `concurrently` contains only this statement, which must be sent outside of a transaction.
   */
  readonly sql: string;
}

/** Tables come before the functions that use them. */
const SCHEMA = [
  partners,
  sessions,
  events,
  deliveries,
  tasks,
  claims,
  sandboxes,
  audit,
  legs,
  commitChanges,
  commitNewRows,
].join('\n');

const SOURCES: readonly (readonly [name: string, sql: string])[] = [['schema', SCHEMA]];

/**
 * The rollback window: the number of migrations of the previous release. A version that knows at least these may start on a database of
 * this version. A test compares it with the recorded releases.
 */
export const USABLE_FROM = 1;

/** All migrations in order. Numbers never change, and released migrations are never edited. */
export function migrations(schema: string): readonly Migration[] {
  return SOURCES.map(([name, sql], index) => ({ number: index + 1, name, sql: inSchema(sql, schema) }));
}

/** The SQL files of this package use a schema called `gate`, with every name qualified. */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bgate\./g, `"${schema}".`);
}
