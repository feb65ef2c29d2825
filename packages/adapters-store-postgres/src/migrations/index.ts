import { tables } from './0001-tables.js';
import { commit } from './0002-commit.js';
import { work } from './0003-work.js';
import { cheaperWork } from './0004-cheaper-work.js';
import { keyUse } from './0005-key-use.js';
import { heldSessions } from './0006-held-sessions.js';
import { openSessions } from './0007-open-sessions.js';
import { noJit } from './0008-no-jit.js';
import { sandboxOperations } from './0009-sandbox-operations.js';
import { listed } from './0010-listed.js';
import { newRows } from './0011-new-rows.js';
import { consumers } from './0012-consumers.js';
import { settleAttempts } from './0013-settle-attempts.js';

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Plain SQL for one schema; a host may run it with a tool of its own instead of `migrate`. */
  readonly sql: string;
}

const SOURCES: readonly (readonly [name: string, sql: string])[] = [
  ['tables', tables],
  ['commit', commit],
  ['work', work],
  ['cheaper-work', cheaperWork],
  ['key-use', keyUse],
  ['held-sessions', heldSessions],
  ['open-sessions', openSessions],
  ['no-jit', noJit],
  ['sandbox-operations', sandboxOperations],
  ['listed', listed],
  ['new-rows', newRows],
  ['consumers', consumers],
  ['settle-attempts', settleAttempts],
];

/** All of them in order. Numbers never change, and a migration that was released is never edited. */
export function migrations(schema: string): readonly Migration[] {
  return SOURCES.map(([name, sql], index) => ({ number: index + 1, name, sql: inSchema(sql, schema) }));
}

/** SQL of this package is written for a schema called `gate`, with every name qualified. */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bgate\./g, `"${schema}".`);
}
