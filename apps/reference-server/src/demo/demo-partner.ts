import type { Seed, SeedPartner } from '../seed/seed-file.js';

/** Stable public keys, only for experiments on a developer's own machine. */
export const DEMO_KEYS = {
  secret: 'sk_test_gateramp_demo_secret_key',
  publishable: 'pk_test_gateramp_demo_publishable_key',
  /** Pools exist in live mode only. The only provider of the demo moves no real money there either. */
  pools: 'sk_live_gateramp_demo_pools_key',
} as const;

export const DEMO_WEBHOOK_SECRET = 'whsec_gateramp_demo_webhook_secret';

/** The pool of the demo partner. */
export const DEMO_POOL: SeedPartner['pools'][number] = {
  id: 'pool_usdc_eur',
  asset: 'USDC',
  network: 'base',
  currency: 'EUR',
  spreadBps: 30,
  feeBps: 20,
  balances: { USDC: '10000', EUR: '10000' },
};

/**
 * The partner of a server without a seed file: its shop and webhook receiver are the demo listener. It has a pool, with a published live
 * key, only if no data outlives the process: durable data might later be used with a provider that moves real money.
 */
export function demoSeed(demoOrigin: string, { isKept = false }: { readonly isKept?: boolean } = {}): Seed {
  const { port } = new URL(demoOrigin);
  return {
    partners: [
      {
        id: '65f0de300000000000000001',
        name: 'Demo shop',
        allowed_origins: [...new Set([demoOrigin, `http://127.0.0.1:${port}`, `http://localhost:${port}`])],
        kyc_trusted: true,
        live_enabled: !isKept,
        saved_payment_methods: true,
        entitlements: isKept ? ['swap', 'rails'] : ['swap', 'rails', 'pools'],
        rate_limit_factor: null,
        restrictions: null,
        quota: { completed_sessions: null },
        test: {
          secret_keys: [DEMO_KEYS.secret],
          publishable_keys: [DEMO_KEYS.publishable],
          webhook_url: `${demoOrigin}/hooks`,
          webhook_secret: DEMO_WEBHOOK_SECRET,
        },
        live: {
          secret_keys: isKept ? [] : [DEMO_KEYS.pools],
          publishable_keys: [],
          webhook_url: null,
          webhook_secret: null,
        },
        pools: isKept ? [] : [DEMO_POOL],
        pools_access: { status: 'active', kyc: 'approved' },
      },
    ],
  };
}

/** All webhook secrets of a seed, with which the demo receiver verifies signatures. */
export function webhookSecretsOf(seed: Seed): readonly string[] {
  return seed.partners
    .flatMap(({ test, live }) => [test.webhook_secret, live.webhook_secret])
    .filter((secret) => secret !== null);
}
