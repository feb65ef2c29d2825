import tables from '../../sql/migrations/0001-tables.sql';
import wideIndexes from '../../sql/migrations/0002-wide-indexes.sql';
import type { Connection } from '../connection.js';
import { InstallationFault } from '../installation-fault.js';

/** In order. What was released is never edited; the file's `user_version` says how many it has had. */
const MIGRATIONS: readonly string[] = [tables, wideIndexes];

/** Brings the file up to date, all or nothing. Safe when several processes open it at once: the others find it done. */
export function migrate(connection: Connection): void {
  const version = (): number =>
    Number(connection.all<{ user_version: number }>('pragma user_version')[0]?.user_version);
  if (version() === MIGRATIONS.length) return;
  connection.exec('begin immediate');
  try {
    const done = version();
    if (done > MIGRATIONS.length)
      throw new InstallationFault(
        `The file was written by a newer version: it has ${done} migrations, but this version only knows ${MIGRATIONS.length}.`,
      );
    for (const sql of MIGRATIONS.slice(done)) connection.exec(sql);
    connection.exec(`pragma user_version = ${MIGRATIONS.length}`);
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
}
