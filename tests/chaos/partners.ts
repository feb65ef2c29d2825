import { randomBytes } from 'node:crypto';

export type Partner = ReturnType<typeof partnerOf>;

export type OfficePartner = ReturnType<typeof officeOf>;

/** A partner of the seed file whose endpoint is the receivers' path with this number. */
export function partnerOf(index: number, receiverPort: number) {
  const [secretKey, publishableKey] = [`sk_test_chaos${index}secretkey`, `pk_test_chaos${index}publishable`];
  const origin = `https://shop${index}.example`;
  const path = `/hooks/${index}`;
  const webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  const test = {
    secret_keys: [secretKey],
    publishable_keys: [publishableKey],
    webhook_url: `http://127.0.0.1:${receiverPort}${path}`,
    webhook_secret: webhookSecret,
  };
  return {
    secretKey,
    publishableKey,
    origin,
    path,
    webhookSecret,
    seed: { id: `65f0c0ffee65f0c0ffee000${index}`, name: `Shop ${index}`, allowed_origins: [origin], test },
  };
}

/** The initial balance of each pool; the small one does not cover three trades. */
export const OPENING = { large: '1000000', small: '100' } as const;

/** A partner without a checkout, with rails payments and trades in its own two pools. */
export function officeOf(index: number, receiverPort: number) {
  const partner = partnerOf(index, receiverPort);
  const liveKey = `sk_live_chaos${index}secretkey`;
  const pools = { large: 'pool_chaos_large', small: 'pool_chaos_small' } as const;
  const terms = { asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  const seeded = (['large', 'small'] as const).map((size) => ({
    id: pools[size],
    ...terms,
    balances: { USDC: OPENING[size], EUR: OPENING[size] },
  }));
  return {
    ...partner,
    liveKey,
    pools,
    seed: {
      ...partner.seed,
      live_enabled: true,
      entitlements: ['rails', 'pools'],
      live: { secret_keys: [liveKey], publishable_keys: [], webhook_url: null, webhook_secret: null },
      pools: seeded,
    },
  };
}
