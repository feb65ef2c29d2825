import { randomBytes } from 'node:crypto';

export type Partner = ReturnType<typeof partnerOf>;

export type OfficePartner = ReturnType<typeof officeOf>;

/** A partner whose endpoint is the receivers' path of that number, as the seed file wants it. */
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

/** What stands in each pool at first; the small one is too short for three trades. */
export const OPENING = { large: '1000000', small: '100' } as const;

/** A partner without a checkout, which pays over rails and trades in two pools of its own. */
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
