import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { sandboxProvider } from '../src/index.js';
import { attemptRequest, card, start, WALLET } from './builders.js';

const provider = sandboxProvider();

const WITH_CARD = { paymentDetails: card() };

describe('an attempt resolved', () => {
  it('has what it leaves open filled in, and what it names in the case it is shown in', async () => {
    expect(await provider.resolve(attemptRequest({ targetToken: 'eth' }))).toEqual({
      kind: 'resolved',
      terms: {
        sourceToken: null,
        sourceNetwork: null,
        targetToken: 'ETH',
        targetNetwork: 'ethereum',
        paymentMethod: 'card',
      },
    });
    expect(
      await provider.resolve(attemptRequest({ flow: 'off_ramp', walletAddress: null, refundAddress: WALLET })),
    ).toEqual({
      kind: 'resolved',
      terms: {
        sourceToken: 'USDC',
        sourceNetwork: 'base',
        targetToken: null,
        targetNetwork: null,
        paymentMethod: 'bank_transfer',
      },
    });
  });

  it.each([
    ['a card', {}],
    ['a bank transfer', { paymentMethod: 'bank_transfer' as const }],
    ['ETH', { targetToken: 'ETH' }],
  ])('costs and gives what the same with everything named does: %s', async (_name, changes) => {
    const resolved = await provider.resolve(attemptRequest(changes));
    if (resolved.kind === 'refused') throw new Error(resolved.code);
    const named = await sandboxProvider().start(start(resolved.terms, WITH_CARD));
    const open = await sandboxProvider().start(start({ paymentMethod: null, ...changes }, WITH_CARD));
    expect(named.details).toEqual(open.details);
  });

  it.each([
    ['corridor_not_supported', { countryCode: 'FR' }],
    ['corridor_not_supported', { paymentMethod: 'crypto' as const }],
    ['corridor_not_supported', { currency: 'GBP' }],
    ['asset_network_mismatch', { targetToken: 'ETH', targetNetwork: 'base' }],
    ['amount_below_minimum', { amount: '0.99' }],
    ['wallet_address_invalid', { walletAddress: null }],
    ['wallet_address_invalid', { walletAddress: 'bc1q' }],
    ['wallet_address_invalid', { flow: 'off_ramp' as const, refundAddress: '0x1' }],
  ])('is refused with %s: %o', async (code, changes) => {
    expect(await provider.resolve(attemptRequest(changes))).toMatchObject({ kind: 'refused', code });
  });
});

async function isTaken(walletAddress: string): Promise<boolean> {
  return (await provider.resolve(attemptRequest({ walletAddress }))).kind === 'resolved';
}

describe('an EVM address', () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('%s has a right EIP-55 checksum, and no other mix of cases of it is taken', async (address) => {
    expect(await isTaken(address)).toBe(true);
    expect(await isTaken(address.toLowerCase())).toBe(true);
    expect(await isTaken(`0x${address.slice(2).toUpperCase()}`)).toBe(true);
    for (const [at, letter] of [...address].entries()) {
      const turned = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      if (at < 2 || turned === letter) continue;
      expect(await isTaken(`${address.slice(0, at)}${turned}${address.slice(at + 1)}`)).toBe(false);
    }
  });

  test.prop([fc.string({ maxLength: 60 }).filter((text) => !/^0x[0-9a-fA-F]{40}$/.test(text))])(
    'has 0x and forty hexadecimal digits, and nothing else',
    async (text) => {
      expect(await isTaken(text)).toBe(false);
    },
  );
});
