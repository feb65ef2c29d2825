import baseline from '../../sql/migrations/0001-baseline.sql';
import audit from '../../sql/migrations/0002-audit.sql';
import sandboxClocks from '../../sql/migrations/0003-sandbox-clocks.sql';
import transactionsOfHash from '../../sql/migrations/0004-transactions-of-hash.sql';
import unfinishedWork from '../../sql/migrations/0005-unfinished-work.sql';
import legDocumentsOfPartner from '../../sql/migrations/0006-leg-documents-of-partner.sql';
import legEntriesByTime from '../../sql/migrations/0007-leg-entries-by-time.sql';
import shownEvents from '../../sql/migrations/0008-shown-events.sql';
import auditLists from '../../sql/migrations/0009-audit-lists.sql';
import type { Connection } from '../connection.js';
import { InstallationError } from '@gateramp/core/ports';

/** In order. Released migrations are never edited. */
export const migrations: readonly string[] = [
  baseline,
  audit,
  sandboxClocks,
  transactionsOfHash,
  unfinishedWork,
  legDocumentsOfPartner,
  legEntriesByTime,
  shownEvents,
  auditLists,
];

/** The `user_version` of a file with only the baseline; each later migration adds one. Version 1 is older than the first release. */
const BASELINE = 2;

/** Migrates the file in one transaction. Safe when several processes open it at once: the others find it migrated. */
export function migrate(connection: Connection, known: readonly string[] = migrations): void {
  const newest = BASELINE + known.length - 1;
  const version = (): number =>
    Number(connection.all<{ user_version: number }>('pragma user_version')[0]?.user_version);
  if (version() === newest) return;
  connection.exec('begin immediate');
  try {
    const found = version();
    if (found > newest)
      throw new InstallationError(
        `The file was written by a newer version: it has schema ${found}, but this version only knows ${newest}. Start the newer version.`,
      );
    if (found > 0 && found < BASELINE)
      throw new InstallationError(
        'The file was written by an unreleased version and cannot be upgraded. Move it away to start with a new one.',
      );
    for (const sql of known.slice(found === 0 ? 0 : found - BASELINE + 1)) connection.exec(sql);
    connection.exec(`pragma user_version = ${newest}`);
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
}
