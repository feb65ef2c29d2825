import type { ReapRequest } from '@gateramp/core/ports';
import {
  type Database,
  OLD_OPERATIONS,
  OLD_ROWS,
  reapKinds,
  reapStatement,
} from '@gateramp/adapters-store-postgres/distribution';

/**
 * Reaps partner by partner: only statements of one partner may lock and skip rows, so all shards are first asked which partners have old
 * rows.
 */
export function reapByPartner(database: Database, schema: string): (request: ReapRequest) => Promise<number> {
  const kinds = OLD_ROWS.map((kind) => [kind.since, reapStatement(schema, kind, 'partner_id = $4 and ')] as const);
  const operations = [[OLD_OPERATIONS.since, reapStatement(schema, OLD_OPERATIONS, '')] as const];
  const partners = OLD_ROWS.map(
    ({ table, isOld, since }) =>
      `select partner_id from "${schema}".${table} where ${isOld.replace('$2', since === 'now' ? '$2' : '$3')}`,
  ).join(' union ');
  return async (request) => {
    const { mode, now, keepEnded, limit } = request;
    const found = await database.query<{ partner_id: string }>(partners, [mode, now, now - keepEnded]);
    let deleted = 0;
    for (const { partner_id: partner } of found) {
      if (deleted >= limit) return deleted;
      deleted += await reapKinds(database, kinds, { ...request, limit: limit - deleted }, [partner]);
    }
    return deleted + (await reapKinds(database, operations, { ...request, limit: limit - deleted }, []));
  };
}
