import tables from '../../sql/migrations/0001-tables.sql';
import lists from '../../sql/migrations/0002-lists.sql';
import commit from '../../sql/migrations/0003-commit.sql';
import newRows from '../../sql/migrations/0004-new-rows.sql';
import work from '../../sql/migrations/0005-work.sql';
import consumers from '../../sql/migrations/0006-consumers.sql';
import health from '../../sql/migrations/0007-health.sql';
import deliveriesByCreation from '../../sql/migrations/0008-deliveries-by-creation.sql';
import plansForKeeps from '../../sql/migrations/0009-plans-for-keeps.sql';
import dropDeliveriesByAge from '../../sql/migrations/0010-drop-deliveries-by-age.sql';
import rehearseCommit from '../../sql/migrations/0011-rehearse-commit.sql';

/** One numbered step of the schema, as plain SQL. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * Plain SQL for one schema; a host may run it with a tool of its own instead of `migrate`. An index is built or dropped
   * `concurrently` by a file that holds this one statement, to be sent by itself, outside of a transaction.
   */
  readonly sql: string;
}

const SOURCES: readonly (readonly [name: string, sql: string])[] = [
  ['tables', tables],
  ['lists', lists],
  ['commit', commit],
  ['new-rows', newRows],
  ['work', work],
  ['consumers', consumers],
  ['health', health],
  ['deliveries-by-creation', deliveriesByCreation],
  ['plans-for-keeps', plansForKeeps],
  ['drop-deliveries-by-age', dropDeliveriesByAge],
  ['rehearse-commit', rehearseCommit],
];

/**
 * The rollback window: how many migrations the previous release has. A version that knows at least these may start on a
 * database of this version. A test compares it with the recorded releases.
 */
export const USABLE_FROM = 6;

/** All of them in order. Numbers never change, and a migration that was released is never edited. */
export function migrations(schema: string): readonly Migration[] {
  return SOURCES.map(([name, sql], index) => ({ number: index + 1, name, sql: inSchema(sql, schema) }));
}

/** SQL of this package is written for a schema called `gate`, with every name qualified. */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bgate\./g, `"${schema}".`);
}
