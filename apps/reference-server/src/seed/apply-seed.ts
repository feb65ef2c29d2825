import { randomBytes } from 'node:crypto';
import { GateArgumentError, type ApiKey, type Mode } from '@gateramp/core';
import { MODES } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { keysOf, type Seed, type SeedKey, type SeedPartner } from './seed-file.js';
import type { Gate } from '../gate.js';
import { StartError } from '../start-error.js';

type Administration = Gate['admin'];

/**
 * Creates or updates the seed's partners. Later changes take precedence over the file: a revoked key stays revoked, and a
 * webhook secret is only set if there is none. Returns the active keys of these partners that the file does not contain:
 * removing a key from the file does not revoke it.
 */
export async function applySeed(
  { admin: host, clock }: Gate,
  store: Pick<Store, 'listKeys'>,
  seed: Seed,
  origin = 'GATE_SEED_FILE',
): Promise<readonly ApiKey[]> {
  const admin = host.as({ type: 'seed', id: origin });
  const problems: string[] = [];
  const unnamed: ApiKey[] = [];
  for (const partner of seed.partners) {
    await applyPartner(admin, partner);
    problems.push(...(await applyPools(admin, partner)));
    const named = new Set<string>();
    for (const key of keysOf(partner)) {
      const stored = await applyKey(admin, partner.id, key);
      if (stored instanceof GateArgumentError)
        problems.push(...stored.problems.map((one) => `GATE_SEED_FILE: partner ${partner.id}: ${one}`));
      else named.add(stored.hash);
    }
    const known = (await store.listKeys(partner.id)).map(({ key }) => key);
    unnamed.push(...known.filter((key) => !named.has(key.hash) && works(key, clock.now(key))));
  }
  if (problems.length > 0) throw new StartError(problems);
  return unnamed;
}

async function applyPartner(admin: Administration, partner: SeedPartner): Promise<void> {
  await admin.savePartner({
    id: partner.id,
    name: partner.name,
    allowedOrigins: partner.allowed_origins,
    kycTrusted: partner.kyc_trusted,
    liveEnabled: partner.live_enabled,
    entitlements: partner.entitlements,
    completedSessionsQuota: partner.quota.completed_sessions,
    savedPaymentMethods: partner.saved_payment_methods,
    rateLimitFactor: partner.rate_limit_factor,
    restrictions: partner.restrictions,
  });
  for (const mode of MODES) await applyEndpoint(admin, partner, mode);
}

/** Applies the balances of the file once, when a pool is created: later movements by trades and operators are never reverted. */
async function applyPools(admin: Administration, partner: SeedPartner): Promise<readonly string[]> {
  await admin.setPoolsAccess(partner.id, partner.pools_access);
  const problems: string[] = [];
  for (const { balances, ...terms } of partner.pools) {
    try {
      await admin.savePool(partner.id, terms);
    } catch (error) {
      if (!(error instanceof GateArgumentError)) throw error;
      problems.push(...error.problems.map((one) => `GATE_SEED_FILE: partner ${partner.id}, pool ${terms.id}: ${one}`));
      continue;
    }
    for (const [currency, amount] of Object.entries(balances))
      await admin.movePoolBalance(partner.id, { poolId: terms.id, currency, amount, reference: 'seed-file' });
  }
  return problems;
}

function applyKey(
  admin: Administration,
  partnerId: string,
  { key, ...limits }: SeedKey,
): Promise<ApiKey | GateArgumentError> {
  const { scopes, allowed_ips: allowedIps, expires_at: expires } = limits;
  return admin
    .addKey(partnerId, key, {
      ...(scopes === undefined ? {} : { scopes }),
      ...(allowedIps === undefined ? {} : { allowedIps }),
      ...(expires === undefined ? {} : { expiresAt: Date.parse(expires) }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof GateArgumentError)) throw error;
      return error;
    });
}

function works({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt >= now);
}

async function applyEndpoint(admin: Administration, partner: SeedPartner, mode: Mode): Promise<void> {
  const { webhook_url: url, webhook_secret: secret } = partner[mode];
  const scope = { partnerId: partner.id, mode };
  const known = await admin.findEndpoint(scope);
  if (known === null && url === null && secret === null) return;
  const isUnsigned = known === null || known.secrets.length === 0;
  const first = secret ?? (url === null ? null : newSecret());
  await admin.setEndpoint(scope, { url, secret: isUnsigned ? first : null });
}

/** No webhook is sent unsigned; partners without a secret in the file get this one, and learn it by a rotation. */
function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`;
}
