import { TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import type { Mode, Partner, Scope } from '@gateramp/core';

/** The partners of every history: one with all entitlements, and one with none and other origins. */
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
  /** A secret key that expires an hour after the start of a history. */
  readonly expiring: string;
}

/** An owner or a caller: a partner by number, in a mode. */
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

/** The webhook URL of a partner in a mode. It is unique, so that webhooks show their owner. */
export function hookOf({ partner, mode }: Who): string {
  return `https://shop.example/hooks/${partner}/${mode}`;
}

const EUROS = { currency: 'EUR', spreadBps: 30, feeBps: 20 } as const;

/** All pools: two of the partner that may trade, each with funds for a few trades, and one of the partner that may not. */
export const POOLS = [
  { owner: 0, opening: '250', terms: { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', ...EUROS } },
  { owner: 0, opening: '300', terms: { id: 'pool_eth_eur', asset: 'ETH', network: 'ethereum', ...EUROS } },
  { owner: 1, opening: '100', terms: { id: 'pool_rival', asset: 'USDC', network: 'base', ...EUROS } },
] as const;

/** The partner that trades in pools, which exist in live mode only. */
export const TRADER: Who = { partner: 0, mode: 'live' };
