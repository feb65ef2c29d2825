import { TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import type { Mode, Partner, Scope } from '@gateramp/core';

/** The partners of every history: one who may do everything, and one who may do little, at an origin of its own. */
export const PARTNERS: readonly [Partner, Partner] = [
  TEST_PARTNER,
  {
    ...TEST_PARTNER,
    id: '65f0c0ffee65f0c0ffee0002',
    name: 'Rival “☃” & Söhne',
    allowedOrigins: ['https://rival.example', 'https://shop.example'],
    kycTrusted: false,
    entitlements: [],
  },
];

export interface Credentials {
  readonly secret: string;
  readonly publishable: string;
  /** A secret key that histories revoke. */
  readonly spare: string;
  readonly revoked: string;
  /** An hour after the beginning of a history. */
  readonly expiring: string;
}

/** Who owns a thing, or asks for it: a partner by number, on the host of a mode. */
export interface Who {
  readonly partner: 0 | 1;
  readonly mode: Mode;
}

export function credentialsOf({ partner, mode }: Who): Credentials {
  const own = (type: 'sk' | 'pk', name: string) => `${type}_${mode}_${name.padStart(24, '0')}p${partner}`;
  return {
    secret: partner === 0 ? TEST_KEYS.secret[mode] : own('sk', 'rivalsecret'),
    publishable: partner === 0 ? TEST_KEYS.publishable[mode] : own('pk', 'rivalpublic'),
    spare: own('sk', 'spare'),
    revoked: own('sk', 'revoked'),
    expiring: own('sk', 'expiring'),
  };
}

export function scopeOf({ partner, mode }: Who): Scope {
  return { partnerId: PARTNERS[partner].id, mode };
}

export const EVERYBODY: readonly [Who, Who, Who, Who] = [
  { partner: 0, mode: 'test' },
  { partner: 1, mode: 'test' },
  { partner: 0, mode: 'live' },
  { partner: 1, mode: 'live' },
];

/** A URL of each partner and mode, so that webhooks show whose they are. */
export function hookOf({ partner, mode }: Who): string {
  return `https://shop.example/hooks/${partner}/${mode}`;
}

const EUROS = { currency: 'EUR', spreadBps: 30, feeBps: 20 } as const;

/** The pools there are: two of the partner who may trade, each good for a few trades, and one of the partner who may not. */
export const POOLS = [
  { owner: 0, opening: '250', terms: { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', ...EUROS } },
  { owner: 0, opening: '300', terms: { id: 'pool_eth_eur', asset: 'ETH', network: 'ethereum', ...EUROS } },
  { owner: 1, opening: '100', terms: { id: 'pool_rival', asset: 'USDC', network: 'base', ...EUROS } },
] as const;

/** Who trades in pools: they are live alone. */
export const TRADER: Who = { partner: 0, mode: 'live' };
