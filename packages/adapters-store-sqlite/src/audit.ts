import type { AuditEntry } from '@gateramp/core/domain';
import { AUDIT_HEAD_SETTING, type AuditStore, type AuditWrite } from '@gateramp/core/ports';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { RollbackWithResult } from './group-commit.js';
import { parsed } from './rows.js';
import { insert, update } from './write-row.js';

/** Adds the entries within the transaction of what they describe. False if the trail no longer ends where they continue it. */
export function appendAudit(db: Connection, audit: AuditWrite | null): boolean {
  if (audit === null) return true;
  const { expectedHead, head, entries } = audit;
  const name = AUDIT_HEAD_SETTING;
  const isNext =
    expectedHead === null
      ? insert(db, 'settings', { name, value: head })
      : update(db, 'settings', { value: head }, { name, value: expectedHead });
  if (!isNext) return false;
  for (const entry of entries)
    if (!insert(db, 'audit_entries', { sequence: entry.sequence, row: JSON.stringify(entry) }))
      throw new Error(`The audit trail already has an entry ${entry.sequence}, beyond its recorded end.`);
  return true;
}

/** Writes something together with its audit entries, in one transaction. */
export function writeAudited<Done extends string>(
  { write }: Pick<SqliteDatabase, 'write'>,
  audit: AuditWrite | null,
  done: Done,
  work: (db: Connection) => void,
): Promise<Done | 'stale'> {
  return write<Done | 'stale'>((db) => {
    work(db);
    if (!appendAudit(db, audit)) throw new RollbackWithResult<Done | 'stale'>('stale');
    return done;
  });
}

/** The audit trail. */
export function audit({ connection }: SqliteDatabase): AuditStore {
  return {
    listAudit: async ({ partnerId, requestId, action, actor, from, to, order, beyond, limit }) => {
      const [comparison, direction] = order === 'oldest_first' ? ['>', 'asc'] : ['<', 'desc'];
      const wanted = {
        [`sequence ${comparison} ?`]: beyond,
        'partner_id = ?': partnerId,
        'request_id = ?': requestId,
        "instr((row ->> '$.action') || '.', ? || '.') = 1": action,
        "? in (row ->> '$.actor.id', row ->> '$.actor.accessId')": actor,
        "row ->> '$.at' >= ?": from,
        "row ->> '$.at' < ?": to,
      };
      const conditions = Object.entries(wanted).filter(([, value]) => value !== null);
      const where = conditions.length === 0 ? '' : `where ${conditions.map(([text]) => text).join(' and ')}`;
      const text = `select row from audit_entries ${where} order by sequence ${direction} limit ?`;
      const values = [...conditions.map(([, value]) => value), limit];
      return connection()
        .all<{ row: string }>(text, ...values)
        .map((row) => parsed<AuditEntry>(row));
    },
  };
}
