import { describe, expect, it } from 'vitest';

import { marketOf, type PriceRequest, resolveAmong, resolvedRequest } from '../../../src/domain/quote/price-request.js';
import { capabilitiesOf, OTHER } from '../capabilities/capabilities-of.js';

/** Swaps what OTHER sells. */
const SWAPS = capabilitiesOf({
  flows: ['swap'],
  currencies: [{ code: 'EUR', name: 'Euro', decimals: 2, flows: ['swap'] }],
  assets: OTHER.assets.map((asset) => ({ ...asset, flows: ['swap'] })),
});

const SERVED = [capabilitiesOf(), OTHER, SWAPS];

const ASK: PriceRequest = {
  side: 'off_ramp',
  currency: 'EUR',
  asset: 'USDC',
  network: null,
  sourceAsset: null,
  sourceNetwork: null,
  amount: '100.00',
  countryCode: 'DE',
};

const resolved = (changes: Partial<PriceRequest>) => {
  const ask = { ...ASK, ...changes };
  return resolveAmong(SERVED, marketOf(ask)).map((market) => resolvedRequest(ask, market));
};

describe('a requested market', () => {
  it('means the first network of the asset if none is named, at the first provider that serves the rest', () => {
    expect(resolved({ side: 'on_ramp' })._unsafeUnwrap().network).toBe('base');
    expect(resolved({})._unsafeUnwrap().network).toBe('ethereum');
    expect(resolved({ side: 'swap', sourceAsset: 'ETH' })._unsafeUnwrap()).toMatchObject({
      network: 'ethereum',
      sourceNetwork: 'ethereum',
    });
  });

  it('is refused if only several providers together would serve it', () => {
    const dollars = capabilitiesOf({
      currencies: [{ code: 'USD', name: 'US dollar', decimals: 2, flows: ['on_ramp'] }],
    });
    const ether = capabilitiesOf({
      assets: [{ code: 'ETH', name: 'Ether', decimals: 8, networks: ['ethereum'], flows: ['on_ramp'] }],
    });
    const asked = resolveAmong([dollars, ether], marketOf({ ...ASK, side: 'on_ramp', currency: 'USD', asset: 'ETH' }));
    expect(asked._unsafeUnwrapErr().code).toBe('corridor_not_supported');
  });

  it('accepts network names in any case', () => {
    expect(resolved({ network: 'Ethereum' })._unsafeUnwrap().network).toBe('ethereum');
    expect(resolved({ side: 'swap', sourceAsset: 'USDC', sourceNetwork: 'BASE' })._unsafeUnwrap().sourceNetwork).toBe(
      'base',
    );
  });

  it.each([
    ['a currency that no provider serves', { currency: 'GBP' }, 'corridor_not_supported'],
    ['an asset that no provider serves', { asset: 'DOGE' }, 'corridor_not_supported'],
    [
      'a currency that is not served on the side',
      { side: 'swap' as const, sourceAsset: 'ETH', currency: 'USD' },
      'corridor_not_supported',
    ],
    ['a side the asset is not served on', { side: 'on_ramp' as const, asset: 'ETH' }, 'corridor_not_supported'],
    ['a source that no provider serves', { side: 'swap' as const, sourceAsset: 'DOGE' }, 'corridor_not_supported'],
    ['a network the asset is not on', { asset: 'ETH', network: 'base' }, 'asset_network_mismatch'],
    ['a network that no provider serves', { network: 'solana' }, 'asset_network_mismatch'],
    [
      'a network the source is not on',
      { side: 'swap' as const, sourceAsset: 'ETH', sourceNetwork: 'base' },
      'asset_network_mismatch',
    ],
  ])('is refused for %s', (_, changes, code) => {
    expect(resolved(changes)._unsafeUnwrapErr().code).toBe(code);
  });
});
