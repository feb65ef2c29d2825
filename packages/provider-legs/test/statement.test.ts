import { decimal } from '@gateramp/core/domain';
import { fakeFiat, legs, memoryLegsStore, reconcileLedger, type StatementLine } from '@gateramp/provider-legs';
import { describe, expect, it } from 'vitest';
import { bookStatement } from '../src/statement.js';
import { world } from './world.js';

const line = (id: number, given: Partial<StatementLine> = {}): StatementLine => ({
  id: `txn_${String(id).padStart(4, '0')}`,
  at: id,
  currency: 'EUR',
  amount: '100.00',
  fee: '1.65',
  kind: 'operation',
  original: null,
  authorizationId: null,
  ...given,
});

/** A provider whose processor has these lines, and another process on the same store. */
function bankOf(lines: readonly StatementLine[]) {
  const w = world();
  const store = memoryLegsStore();
  const limits: number[] = [];
  const fiat = {
    ...fakeFiat({ store }),
    async statement({ after, limit }: { readonly after: string | null; readonly limit: number }) {
      limits.push(limit);
      return lines.filter(({ id }) => after === null || id > after).slice(0, limit);
    },
  };
  const names = { countries: [], currencies: {}, assets: {} };
  const given = { ...w, fiat, store, names, screening: null, identity: null, modes: ['test'] } as const;
  const balance = async (account: string, currency = 'EUR') =>
    decimal.normalise(
      (await store.balances(null)).find((one) => one.account === account && one.currency === currency)?.amount ?? '0',
    );
  return { store, balance, limits, lines: fiat, provider: legs(given), other: legs(given) };
}

describe('the statement of the processor', () => {
  it('books fees, payouts and movements of other systems, and nothing else of what operations book', async () => {
    const { balance, provider } = bankOf([
      line(1),
      line(2, { amount: '-15.00', fee: '0', kind: 'fee' }),
      line(3, { amount: '-50.00', fee: '0.25', kind: 'payout' }),
      line(4, { amount: '7.00', fee: '0.50', kind: 'outside' }),
      line(5, { amount: '-100.00', fee: '20.00' }),
    ]);
    await provider.bookStatement();
    expect(await balance('costs')).toBe('37.4');
    expect(await balance('funding')).toBe('50');
    expect(await balance('outside')).toBe('-7');
    expect(await balance('fiat')).toBe('-80.4');
  });

  it('books each line once, however many processes read it, over many pages', async () => {
    const { balance, provider, other, store } = bankOf(Array.from({ length: 250 }, (_, at) => line(at)));
    await Promise.all([provider.bookStatement(), other.bookStatement(), provider.bookStatement()]);
    await provider.bookStatement();
    expect(await balance('costs')).toBe(decimal.normalise(decimal.multiply('1.65', '250')));
    const entries = await store.listEntries({ from: null, to: null, after: null, limit: 1_000 });
    expect(entries).toHaveLength(250);
  });

  it('books a payment that is credited in another currency as an exchange', async () => {
    const original = { amount: '100.00', currency: 'USD' };
    const { balance, provider } = bankOf([line(1, { amount: '92.00', original })]);
    await provider.bookStatement();
    expect(await balance('fiat', 'USD')).toBe('-100');
    expect(await balance('fiat')).toBe('90.35');
    expect([await balance('exchange'), await balance('exchange', 'USD')]).toEqual(['-92', '100']);
  });

  it('agrees with the ledger once the operations have booked their payments, and names the difference before', async () => {
    const { provider, store } = bankOf([line(1), line(2, { amount: '-20.00', fee: '0', kind: 'payout' })]);
    await provider.bookStatement();
    const difference = async () => {
      const { positions } = await reconcileLedger(store, await provider.positions());
      return positions.map((one) => [one.account, one.currency, one.difference]);
    };
    expect(await difference()).toEqual([['fiat', 'EUR', '-100']]);
    const postings = [
      { account: 'fiat', currency: 'EUR', amount: '100.00' },
      { account: 'customer', currency: 'EUR', amount: '-100.00' },
    ];
    await store.commit({ documents: [], entries: [{ id: 'op1:capture', operationId: 'op1', at: 1, postings }] });
    expect(await difference()).toEqual([['fiat', 'EUR', '0']]);
  });

  it('books on when a payment cannot be read, and reads that payment again', async () => {
    const { balance, store, lines } = bankOf([line(1, { authorizationId: 'op1-authorize' }), line(2)]);
    const reads: string[] = [];
    const failing = { isFailing: true };
    const review = async ({ authorizationId }: { readonly authorizationId: string }) => {
      reads.push(authorizationId);
      if (failing.isFailing) throw new Error('Stripe does not answer.');
    };
    await expect(bookStatement(store, lines, review)).rejects.toThrow('Stripe does not answer.');
    expect(await balance('costs')).toBe('3.3');
    failing.isFailing = false;
    await bookStatement(store, lines, review);
    await bookStatement(store, lines, review);
    expect(reads).toEqual(['op1-authorize', 'op1-authorize']);
  });

  it('is not read for a leg without one', async () => {
    const w = world();
    await w.provider.bookStatement();
    expect(await w.provider.positions()).toEqual([]);
  });
});
