import claims from '../../sql/migrations/0001-baseline/claims.sql';
import commitChanges from '../../sql/migrations/0001-baseline/commit-changes.sql';
import commitLegs from '../../sql/migrations/0001-baseline/commit-legs.sql';
import commitNewRows from '../../sql/migrations/0001-baseline/commit-new-rows.sql';
import consumers from '../../sql/migrations/0001-baseline/consumers.sql';
import lists from '../../sql/migrations/0001-baseline/lists.sql';
import nextDue from '../../sql/migrations/0001-baseline/next-due.sql';
import recordDeliveries from '../../sql/migrations/0001-baseline/record-deliveries.sql';
import rehearseCommit from '../../sql/migrations/0001-baseline/rehearse-commit.sql';
import tables from '../../sql/migrations/0001-baseline/tables.sql';
import audit from '../../sql/migrations/0002-audit.sql';
import partitions from '../../sql/migrations/0003-partitions.sql';
import legCommits from '../../sql/migrations/0004-leg-commits.sql';
import sandboxClocks from '../../sql/migrations/0005-sandbox-clocks.sql';
import sandboxTasks from '../../sql/migrations/0006-sandbox-tasks.sql';
import legAudit from '../../sql/migrations/0007-leg-audit.sql';
import commitOfPartner from '../../sql/migrations/0008-commit-of-partner.sql';
import workOfPartner from '../../sql/migrations/0009-work-of-partner.sql';
import claimsPastDeadRows from '../../sql/migrations/0010-claims-past-dead-rows.sql';
import transactionsOfHash from '../../sql/migrations/0011-transactions-of-hash.sql';
import boundedReads from '../../sql/migrations/0012-bounded-reads.sql';
import failedTasks from '../../sql/migrations/0013-failed-tasks.sql';
import heldSessions from '../../sql/migrations/0014-held-sessions.sql';
import heldSessionsUnordered from '../../sql/migrations/0015-held-sessions-unordered.sql';
import legDocumentsOfPartner from '../../sql/migrations/0016-leg-documents-of-partner.sql';
import workInPartitions from '../../sql/migrations/0017-work-in-partitions.sql';
import sandboxHolds from '../../sql/migrations/0018-sandbox-holds.sql';
import legEntriesByTime from '../../sql/migrations/0019-leg-entries-by-time.sql';
import shownEvents from '../../sql/migrations/0020-shown-events.sql';
import placesOfAnInstallation from '../../sql/migrations/0021-places-of-an-installation.sql';
import auditOfAction from '../../sql/migrations/0022-audit-of-action.sql';
import auditOfNoun from '../../sql/migrations/0023-audit-of-noun.sql';
import auditOfActor from '../../sql/migrations/0024-audit-of-actor.sql';
import auditOfAccess from '../../sql/migrations/0025-audit-of-access.sql';
import auditByTime from '../../sql/migrations/0026-audit-by-time.sql';

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
const BASELINE = [
  tables,
  lists,
  commitChanges,
  commitNewRows,
  claims,
  recordDeliveries,
  nextDue,
  consumers,
  rehearseCommit,
  commitLegs,
].join('\n');

const SOURCES: readonly (readonly [name: string, sql: string])[] = [
  ['baseline', BASELINE],
  ['audit', audit],
  ['partitions', partitions],
  ['leg_commits', legCommits],
  ['sandbox_clocks', sandboxClocks],
  ['sandbox_tasks', sandboxTasks],
  ['leg_audit', legAudit],
  ['commit_of_partner', commitOfPartner],
  ['work_of_partner', workOfPartner],
  ['claims_past_dead_rows', claimsPastDeadRows],
  ['transactions_of_hash', transactionsOfHash],
  ['bounded_reads', boundedReads],
  ['failed_tasks', failedTasks],
  ['held_sessions', heldSessions],
  ['held_sessions_unordered', heldSessionsUnordered],
  ['leg_documents_of_partner', legDocumentsOfPartner],
  ['work_in_partitions', workInPartitions],
  ['sandbox_holds', sandboxHolds],
  ['leg_entries_by_time', legEntriesByTime],
  ['shown_events', shownEvents],
  ['places_of_an_installation', placesOfAnInstallation],
  ['audit_of_action', auditOfAction],
  ['audit_of_noun', auditOfNoun],
  ['audit_of_actor', auditOfActor],
  ['audit_of_access', auditOfAccess],
  ['audit_by_time', auditByTime],
];

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
