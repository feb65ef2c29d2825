import { randomBytes } from 'node:crypto';
import { MODES, type Gate, type Mode } from '@gateramp/core';
import type { Partners } from '@gateramp/core/ports';
import { keysOf, type Seed, type SeedPartner } from './config-seed-file.js';
import { StartFault } from './start-fault.js';

/**
 * Creates or updates the seed's partners. What has happened since outweighs the file: a revoked key stays revoked,
 * a webhook secret is set only where there is none yet, branding is kept.
 */
export async function applySeed(gate: Gate, partners: Partners, seed: Seed): Promise<void> {
  const problems: string[] = [];
  for (const partner of seed.partners) problems.push(...(await applyPartner(gate, partners, partner)));
  if (problems.length > 0) throw new StartFault(problems);
}

async function applyPartner(gate: Gate, partners: Partners, partner: SeedPartner): Promise<readonly string[]> {
  const known = await partners.findPartner(partner.id);
  await gate.admin.savePartner({
    id: partner.id,
    name: partner.name,
    allowedOrigins: partner.allowed_origins,
    kycTrusted: partner.kyc_trusted,
    liveEnabled: partner.live_enabled,
    entitlements: partner.entitlements,
    completedSessionsQuota: partner.quota.completed_sessions,
    branding: known?.branding ?? null,
  });
  const problems: string[] = [];
  for (const key of keysOf(partner)) {
    const stored = await gate.admin.addKey(partner.id, key).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
      return error;
    });
    if (stored instanceof TypeError) problems.push(`GATE_SEED_FILE: partner ${partner.id}: ${stored.message}`);
  }
  for (const mode of MODES) await applyEndpoint(gate, partner, mode);
  return problems;
}

async function applyEndpoint(gate: Gate, partner: SeedPartner, mode: Mode): Promise<void> {
  const { webhook_url: url, webhook_secret: secret } = partner[mode];
  const scope = { partnerId: partner.id, mode };
  const known = await gate.admin.findEndpoint(scope);
  if (known === null && url === null && secret === null) return;
  const isUnsigned = known === null || known.secrets.length === 0;
  const first = secret ?? (url === null ? null : newSecret());
  await gate.admin.setEndpoint(scope, { url, secret: isUnsigned ? first : null });
}

/** No webhook goes out unsigned; a partner whose file names no secret learns this one by rotating it. */
function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`;
}
