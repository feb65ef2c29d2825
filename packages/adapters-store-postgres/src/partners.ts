import type { ApiKey, Partner, Scope, WebhookEndpoint } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { AuditWrite, KeyHolder, KeyRecord, PartnerStore, Savers } from '@gateramp/core/ports';
import type { Database } from './database.js';
import type { Distribution } from './distribution/distribution.js';
import { parseFirst, parseRow, type RowText } from './reads/row-by-key.js';

/** Partners, their API keys and webhook endpoints. */
export function partners(
  database: Database,
  { schema, distribution }: { readonly schema: string; readonly distribution: Distribution | null },
): PartnerStore {
  const findKey = `select k.row::text as key, p.row::text as partner
    from "${schema}".api_keys k join "${schema}".partners p on p.id = k.partner_id where k.hash = $1`;
  const findPartner = `select row::text as row from "${schema}".partners where id = $1`;
  const findEndpoint = `select row::text as row from "${schema}".endpoints where partner_id = $1 and mode = $2`;
  // Nothing is saved unless the audit entries fit, and they are added in the same statement.
  const audited = (parameter: string) => `where "${schema}".append_audit(${parameter}::json)`;
  // Checked in the statement itself: a writer that read the partner before it was suspended would otherwise reinstate it.
  const savePartner = `insert into "${schema}".partners as p (id, row) select $1, $2::json ${audited('$3')}
    on conflict (id) do update set row = case
      when p.row->>'suspendedAt' is null then excluded.row
      else jsonb_set(excluded.row::jsonb, '{suspendedAt}', p.row::jsonb->'suspendedAt')::json end returning 1`;
  // An unknown partner is no reason to write again, so the audit alone decides whether the answer is stale.
  const saveSuspension = `with audited as materialized (select ${`"${schema}".append_audit($3::json)`} as fits),
    saved as (update "${schema}".partners
      set row = (row::jsonb - 'suspendedAt' || jsonb_strip_nulls(jsonb_build_object('suspendedAt', $2::bigint)))::json
      where id = $1 and (select fits from audited))
    select 1 from audited where fits`;
  // Checked in the statement itself: a writer that read the key before it was revoked would otherwise restore it.
  const saveKey = `insert into "${schema}".api_keys as k (hash, partner_id, row) select $1, $2, $3::json ${audited('$4')}
    on conflict (hash) do update set partner_id = excluded.partner_id, row = case
      when k.row->>'revokedAt' is null then excluded.row
      else jsonb_set(excluded.row::jsonb, '{revokedAt}', k.row::jsonb->'revokedAt')::json end returning 1`;
  const saveEndpoint = `insert into "${schema}".endpoints (partner_id, mode, url, row) select $1, $2, $3, $4::json ${audited('$5')}
    on conflict (partner_id, mode) do update set url = excluded.url, row = excluded.row returning 1`;
  const noteKeyUse = `update "${schema}".api_keys set last_used_at = $2 where hash = $1 and (last_used_at is null or last_used_at < $2)`;
  const listKeys = `select row::text as row, last_used_at from "${schema}".api_keys
    where partner_id = $1 order by (row->>'createdAt')::numeric, hash`;
  const save = async (
    text: string,
    values: readonly (string | null)[],
    audit: AuditWrite | null,
  ): Promise<'saved' | 'stale'> => {
    const rows = await database.query(text, [...values, audit === null ? null : JSON.stringify(audit)]);
    return rows.length > 0 ? 'saved' : 'stale';
  };
  const saved: Savers = distribution?.savers(database, schema) ?? {
    partner: ({ suspendedAt: _, ...row }, audit) => save(savePartner, [row.id, JSON.stringify(row)], audit),
    suspension: ({ partnerId, suspendedAt }, audit) =>
      save(saveSuspension, [partnerId, suspendedAt === null ? null : String(suspendedAt)], audit),
    key: (row, audit) => save(saveKey, [row.hash, row.partnerId, JSON.stringify(row)], audit),
    endpoint: (row, audit) => save(saveEndpoint, [row.partnerId, row.mode, row.url, JSON.stringify(row)], audit),
  };
  return {
    async findKey(hash: string): Promise<KeyHolder | null> {
      const [row] = await database.query<{ key: string; partner: string }>(findKey, [hash]);
      // Written below from an ApiKey and a Partner.
      return row === undefined
        ? null
        : { key: JSON.parse(row.key) as ApiKey, partner: JSON.parse(row.partner) as Partner };
    },
    async findPartner(id: string): Promise<Partner | null> {
      return parseFirst<Partner>(await database.query<RowText>(findPartner, [id]));
    },
    async findEndpoint(scope: Scope): Promise<WebhookEndpoint | null> {
      return parseFirst<WebhookEndpoint>(await database.query<RowText>(findEndpoint, [scope.partnerId, scope.mode]));
    },
    save: (noun, row, audit = null) => saved[noun](row, audit),
    async noteKeyUse(hash: string, at: Instant): Promise<void> {
      await database.query(noteKeyUse, [hash, at]);
    },
    async listKeys(partnerId: string): Promise<readonly KeyRecord[]> {
      const rows = await database.query<RowText & { last_used_at: string | null }>(listKeys, [partnerId]);
      return rows.map((row) => ({
        key: parseRow<ApiKey>(row),
        lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
      }));
    },
  };
}

/** Partners have a handful of keys each; this limits the memory that many revoked keys could take. */
const KEYS_MAX = 10_000;

/**
 * Caches existing keys for `forMs`, so that most requests find theirs in memory: the port allows revocations to lag by 5 s. Changes by this
 * process are visible at once. Unknown keys are never cached, so a new key works at once.
 */
export function rememberedKeys(
  partners: PartnerStore,
  forMs: number,
  now: () => number = () => performance.now(),
): PartnerStore {
  const known = new Map<string, { readonly holder: Promise<KeyHolder | null>; readonly until: number }>();

  const ask = (hash: string): Promise<KeyHolder | null> => {
    if (known.size >= KEYS_MAX) known.clear();
    const holder = partners.findKey(hash);
    known.set(hash, { holder, until: now() + forMs });
    const forget = (): void => {
      if (known.get(hash)?.holder === holder) known.delete(hash);
    };
    holder.then((found) => {
      if (found === null) forget();
    }, forget);
    return holder;
  };

  return {
    ...partners,
    findKey: (hash) => {
      const remembered = known.get(hash);
      return remembered !== undefined && now() < remembered.until ? remembered.holder : ask(hash);
    },
    // Clears the whole cache: operators save rarely, and expect to see their change at once.
    save: async (noun, row, audit = null) => {
      const outcome = await partners.save(noun, row, audit);
      known.clear();
      return outcome;
    },
  };
}
