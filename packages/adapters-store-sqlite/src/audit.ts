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
    listAudit: async ({ partnerId, mode, requestId, action, actor, from, to, order, beyond, limit }) => {
      const [comparison, direction] = order === 'oldest_first' ? ['>', 'asc'] : ['<', 'desc'];
      const wanted = Object.entries({
        [`sequence ${comparison} ?`]: beyond,
        'partner_id = ?': partnerId,
        "ifnull(row ->> '$.mode' = ?, true)": mode,
        'request_id = ?': requestId,
        [`${action?.includes('.') === true ? 'action' : 'noun'} = ?`]: action,
        'at >= ?': from,
        'at < ?': to,
      }).filter(([, value]) => value !== null);
      // The id of an actor and that of an access have an index each, so that either is read in order.
      const actors = actor === null ? [[]] : [['actor_id = ?'], ['access_id = ?', 'actor_id <> ?']];
      const texts = actors.map((ids) => {
        const conditions = [...wanted.map(([text]) => text), ...ids];
        return `select sequence, row from audit_entries where ${['true', ...conditions].join(' and ')}`;
      });
      const values = actors.flatMap((ids) => [...wanted.map(([, value]) => value), ...ids.map(() => actor)]);
      return connection()
        .all<{ row: string }>(`${texts.join(' union all ')} order by sequence ${direction} limit ?`, ...values, limit)
        .map((row) => parsed<AuditEntry>(row));
    },
  };
}
