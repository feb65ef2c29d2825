import { describe, expect, it } from 'vitest';

import { mergeCapabilities } from '../../../src/domain/capabilities/merge-capabilities.js';
import { settleAsk, type QuoteAsk } from '../../../src/domain/quote/quote-ask.js';
import { capabilitiesOf, OTHER } from '../capabilities/capabilities-of.js';

const SERVED = mergeCapabilities([capabilitiesOf(), OTHER]);

const ASK: QuoteAsk = {
  side: 'off_ramp',
  currency: 'EUR',
  asset: 'USDC',
  network: null,
  sourceAsset: null,
  sourceNetwork: null,
  amount: '100.00',
  countryCode: 'DE',
};

const settled = (changes: Partial<QuoteAsk>) => settleAsk(SERVED, { ...ASK, ...changes });

describe('what is asked', () => {
  it('means the first network of the asset when none is named, so that all providers price the same', () => {
    expect(settled({})._unsafeUnwrap().network).toBe('base');
    expect(settled({ sourceAsset: 'ETH' })._unsafeUnwrap()).toMatchObject({
      network: 'base',
      sourceNetwork: 'ethereum',
    });
  });

  it('names a network in any case', () => {
    expect(settled({ network: 'Ethereum' })._unsafeUnwrap().network).toBe('ethereum');
    expect(settled({ sourceAsset: 'USDC', sourceNetwork: 'BASE' })._unsafeUnwrap().sourceNetwork).toBe('base');
  });

  it.each([
    ['a currency nobody serves', { currency: 'GBP' }, 'corridor_not_supported'],
    ['an asset nobody serves', { asset: 'DOGE' }, 'corridor_not_supported'],
    ['a side the currency is not served on', { side: 'swap' as const }, 'corridor_not_supported'],
    ['a side the asset is not served on', { side: 'on_ramp' as const, asset: 'ETH' }, 'corridor_not_supported'],
    ['a source nobody serves', { sourceAsset: 'DOGE' }, 'corridor_not_supported'],
    ['a network the asset is not on', { asset: 'ETH', network: 'base' }, 'asset_network_mismatch'],
    ['a network nobody serves', { network: 'solana' }, 'asset_network_mismatch'],
    ['a network the source is not on', { sourceAsset: 'ETH', sourceNetwork: 'base' }, 'asset_network_mismatch'],
  ])('is refused for %s', (_, changes, code) => {
    expect(settled(changes)._unsafeUnwrapErr().code).toBe(code);
  });
});
