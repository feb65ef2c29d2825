import type { ApiKey, Partner } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { AuditWrite, PartnerStore, Savers } from '@gateramp/core/ports';
import { writeAudited } from './audit.js';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { endpointOf, find, parsed, putEndpoint } from './rows.js';
import { put } from './write-row.js';

/** Partners, their API keys and webhook endpoints. */
export function partners(database: SqliteDatabase): PartnerStore {
  const { connection, write } = database;
  const save = (audit: AuditWrite | null, work: (db: Connection) => void) =>
    writeAudited(database, audit, 'saved', work);
  const savers: Savers = {
    // Keeps a suspension.
    partner: (row, audit) =>
      save(audit, (db) => putPartner(db, row, find<Partner>(db, 'partners', { id: row.id })?.suspendedAt ?? null)),
    suspension: ({ partnerId: id, suspendedAt }, audit) =>
      save(audit, (db) => {
        const known = find<Partner>(db, 'partners', { id });
        if (known !== null) putPartner(db, known, suspendedAt);
      }),
    // Keeps a revocation and the last use.
    key: (row, audit) =>
      save(audit, (db) => {
        const { hash, partnerId } = row;
        const revokedAt = findKey(db, hash)?.revokedAt ?? row.revokedAt;
        put(db, 'api_keys', { hash }, { partner_id: partnerId, row: JSON.stringify({ ...row, revokedAt }) });
      }),
    endpoint: (row, audit) => save(audit, (db) => putEndpoint(db, row)),
  };
  const findPartner = (id: string): Partner | null => find<Partner>(connection(), 'partners', { id });
  return {
    findPartner: async (id) => findPartner(id),
    findKey: async (hash) => {
      const key = findKey(connection(), hash);
      const partner = key === null ? null : findPartner(key.partnerId);
      return key === null || partner === null ? null : { key, partner };
    },
    findEndpoint: async (scope) => endpointOf(connection(), scope),
    save: (noun, row, audit = null) => savers[noun](row, audit),
    noteKeyUse: (hash, at) =>
      write((db) => {
        const text = 'update api_keys set last_used_at = max(coalesce(last_used_at, ?1), ?1) where hash = ?2';
        db.run(text, at, hash);
      }),
    listKeys: async (partnerId) =>
      connection()
        .all<{ row: string; last_used_at: number | null }>(
          "select row, last_used_at from api_keys where partner_id = ? order by row ->> 'createdAt', hash",
          partnerId,
        )
        .map((row) => ({ key: parsed<ApiKey>(row), lastUsedAt: row.last_used_at })),
  };
}

function putPartner(db: Connection, { suspendedAt: _, ...row }: Partner, suspendedAt: Instant | null): void {
  const kept = suspendedAt === null ? row : { ...row, suspendedAt };
  put(db, 'partners', { id: row.id }, { row: JSON.stringify(kept) });
}

function findKey(db: Connection, hash: string): ApiKey | null {
  return find<ApiKey>(db, 'api_keys', { hash });
}
