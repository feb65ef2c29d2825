import { createHash } from 'node:crypto';
import type { ApiKey, Partner, WebhookEndpoint } from '@gateramp/core';
import { keyPrefix, parseKey } from '@gateramp/core/domain';
import type { Partners } from '@gateramp/core/ports';
import type { Pool } from 'pg';

/** Your tables: one row per tenant and one per key. Only the hash of a key is stored. */
export const TENANT_TABLES = `
  create table tenants (
    id text primary key check (id ~ '^[0-9a-f]{24}$'),
    name text not null,
    origins text[] not null,
    webhook_url text,
    webhook_secret_sealed text -- from gate.admin.sealSecret('whsec_…')
  );
  create table tenant_keys (
    hash text primary key,
    tenant_id text not null references tenants,
    prefix text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
  )`;

/** Reads partners from your tables. Called for every request, so index the lookups; cached values may be at most 5 s old. */
export function tenantPartners(pool: Pool): Partners {
  return {
    async findKey(hash) {
      const { rows } = await pool.query<KeyRow & TenantRow>(
        'select * from tenant_keys k join tenants t on t.id = k.tenant_id where k.hash = $1',
        [hash],
      );
      return rows[0] === undefined ? null : { key: apiKey(rows[0]), partner: partner(rows[0]) };
    },
    async findPartner(id) {
      const { rows } = await pool.query<TenantRow>('select * from tenants where id = $1', [id]);
      return rows[0] === undefined ? null : partner(rows[0]);
    },
    async findEndpoint({ partnerId, mode }): Promise<WebhookEndpoint | null> {
      const { rows } = await pool.query<TenantRow>('select * from tenants where id = $1', [partnerId]);
      const [tenant] = rows;
      if (tenant === undefined) return null;
      const sealed = tenant.webhook_secret_sealed;
      const secrets = sealed === null ? [] : [{ sealed, createdAt: 0, expiresAt: null }];
      return { partnerId, mode, url: tenant.webhook_url, secrets };
    },
  };
}

/** Saves a key that you generated (`sk_test_…`, `pk_live_…`) and showed to the tenant once. */
export async function saveKey(pool: Pool, tenantId: string, text: string): Promise<void> {
  if (parseKey(text) === null) throw new Error('Not an API key: use sk_ or pk_, the mode, and 8 or more characters.');
  const hash = createHash('sha256').update(text).digest('hex');
  await pool.query('insert into tenant_keys (hash, tenant_id, prefix) values ($1, $2, $3)', [
    hash,
    tenantId,
    keyPrefix(text),
  ]);
}

interface KeyRow {
  readonly hash: string;
  readonly tenant_id: string;
  readonly prefix: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
  readonly webhook_url: string | null;
  readonly webhook_secret_sealed: string | null;
}

function apiKey(row: KeyRow): ApiKey {
  return {
    hash: row.hash,
    partnerId: row.tenant_id,
    type: row.prefix.startsWith('sk_') ? 'secret' : 'publishable',
    mode: row.prefix.includes('_test_') ? 'test' : 'live',
    prefix: row.prefix,
    createdAt: row.created_at.getTime(),
    expiresAt: null,
    revokedAt: row.revoked_at?.getTime() ?? null,
  };
}

function partner(row: TenantRow): Partner {
  return {
    id: row.id,
    name: row.name,
    allowedOrigins: row.origins,
    kycTrusted: false,
    liveEnabled: true,
    entitlements: [],
    completedSessionsQuota: null,
  };
}
