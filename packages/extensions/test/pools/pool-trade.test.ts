import { describe, expect, it } from 'vitest';
import { decimal } from '@gateramp/core/domain';
import { balanceMoves, beginTrade, checkDestination, settle, type Settlement } from '../../src/pools/pool-trade.js';
import { quotePool } from '../../src/pools/pool-quote.js';
import { aPool, aPoolRequest, WALLET } from './builders.js';

const quote = quotePool(aPool(), aPoolRequest(), { rate: '1.08', decimals: 6 }, { id: 'q', now: 0 })._unsafeUnwrap();
const trade = beginTrade(quote, { id: 't', now: 1 })._unsafeUnwrap();
const COMPLETED: Settlement = { kind: 'completed', txHash: '0x1' };

describe('executing a quote', () => {
  it('is possible at the instant of its expiry, and refused a millisecond later', () => {
    expect(beginTrade(quote, { id: 't', now: quote.expiresAt }).isOk()).toBe(true);
    expect(beginTrade(quote, { id: 't', now: quote.expiresAt + 1 })._unsafeUnwrapErr().code).toBe('quote_expired');
  });

  it('is refused with another address than the quoted one', () => {
    expect(checkDestination(quote, WALLET).isOk()).toBe(true);
    expect(checkDestination(quote, WALLET.toLowerCase())._unsafeUnwrapErr().code).toBe('terms_mismatch');
  });
});

describe('a trade', () => {
  it('reserves both amounts, guarded, at its start', () => {
    expect(balanceMoves(null, trade)).toEqual([
      { name: 'pool/p/live/pool_usdc_eur/EUR/available', delta: '-100.00', atLeast: '0' },
      { name: 'pool/p/live/pool_usdc_eur/EUR/reserved', delta: '100.00', atLeast: null },
      { name: 'pool/p/live/pool_usdc_eur/USDC/available', delta: '-107.460000', atLeast: '0' },
      { name: 'pool/p/live/pool_usdc_eur/USDC/reserved', delta: '107.460000', atLeast: null },
    ]);
  });

  it.each([
    ['completed, takes what it reserved out of the pool', COMPLETED, '-100', '-107.46'],
    ['failed, gives everything back', { kind: 'failed' }, '0', '0'],
  ] as const)('%s, and leaves nothing reserved', (_, settlement, eur, usdc) => {
    const moves = [...balanceMoves(null, trade), ...balanceMoves(trade, settle(trade, settlement, 2))];
    const left = (name: string): string =>
      moves.filter((move) => move.name.endsWith(name)).reduce((sum, { delta }) => decimal.add(sum, delta), '0');
    expect([left('/reserved'), left('EUR/available'), left('USDC/available')]).toEqual(['0', eur, usdc]);
  });

  it('moves nothing while it is pending, and keeps its result whatever is reported afterwards', () => {
    expect(balanceMoves(trade, settle(trade, { kind: 'processing', checkAfterMs: 5 }, 2))).toEqual([]);
    const ended = settle(trade, COMPLETED, 2);
    expect(settle(ended, { kind: 'failed' }, 3)).toBe(ended);
    expect(balanceMoves(ended, settle(ended, { kind: 'failed' }, 3))).toEqual([]);
  });
});
