import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, compare, normalise, subtract } from '../../../src/domain/money.js';
import {
  amountRefunded,
  amountReturned,
  beginRefund,
  disputesOf,
  refundsOf,
  settleRefund,
  type NewRefund,
  type RefundOutcome,
  withBankActions,
} from '../../../src/domain/transaction/refund.js';
import type { Transaction } from '../../../src/domain/transaction/transaction.js';
import { NOW, purchase } from '../builders.js';

const PAID: Transaction = {
  ...purchase().transaction,
  status: 'completed',
  source: { amount: '101.50', currency: 'EUR', network: null },
};

const FAILED: RefundOutcome = { kind: 'failed', failure: { code: 'refund_declined', message: 'Declined.' } };

function request(id: string, amount: string | null = null): NewRefund {
  return { id, taskId: `task-${id}`, amount, reason: null, decimals: 2, refundsMax: 50 };
}

function begun(transaction: Transaction, id: string, amount: string | null = null): Transaction {
  return beginRefund(transaction, request(id, amount), NOW)._unsafeUnwrap().transaction;
}

function codeOf(transaction: Transaction, amount: string | null): string {
  return beginRefund(transaction, request('x', amount), NOW)._unsafeUnwrapErr().code;
}

describe('a refund', () => {
  it('is for the remaining amount unless it has one, and counts once the provider has confirmed it', () => {
    const part = begun(PAID, 'a', '1.5');
    expect(refundsOf(part)).toMatchObject([{ id: 'a', amount: '1.50', status: 'pending' }]);
    expect(amountRefunded(part)).toBeNull();
    const settled = settleRefund(part, 'a', { kind: 'succeeded' }, NOW);
    expect([settled.status, amountRefunded(settled)]).toEqual(['completed', '1.50']);
    const whole = settleRefund(begun(settled, 'b'), 'b', { kind: 'succeeded' }, NOW);
    expect([whole.status, amountRefunded(whole), refundsOf(whole)[1]?.amount]).toEqual([
      'refunded',
      '101.50',
      '100.00',
    ]);
  });

  it('releases its amount when it fails, and keeps its result', () => {
    const failed = settleRefund(begun(PAID, 'a'), 'a', FAILED, NOW);
    expect(refundsOf(failed)).toMatchObject([{ status: 'failed', failure: { code: 'refund_declined' } }]);
    expect([failed.status, amountRefunded(failed)]).toEqual(['completed', null]);
    expect(settleRefund(failed, 'a', { kind: 'succeeded' }, NOW + 1)).toBe(failed);
    expect(refundsOf(begun(failed, 'b'))).toHaveLength(2);
  });

  it('is refused for more than the remaining amount, and if nothing is left or was paid', () => {
    const part = begun(PAID, 'a', '100.00');
    expect(codeOf(PAID, '1.505')).toBe('validation_failed');
    expect(refundsOf(begun(PAID, 'a', '1.500'))[0]?.amount).toBe('1.50');
    expect(codeOf(PAID, '101.51')).toBe('refund_exceeds_amount');
    expect(codeOf(part, '1.51')).toBe('refund_exceeds_amount');
    expect(codeOf(begun(part, 'b', '1.50'), null)).toBe('refund_not_possible');
    for (const status of ['pending', 'processing', 'failed', 'refunded', 'charged_back'] as const)
      expect(codeOf({ ...PAID, status }, '1.00')).toBe('refund_not_possible');
  });

  it('is refused once a transaction has the maximum number of refunds', () => {
    const one = settleRefund(begun(PAID, 'a', '1.00'), 'a', FAILED, NOW);
    const refused = beginRefund(one, { ...request('b'), refundsMax: 1 }, NOW);
    expect(refused._unsafeUnwrapErr().code).toBe('refund_not_possible');
  });

  it('that ends after a chargeback is recorded and leaves the status', () => {
    const charged: Transaction = { ...begun(PAID, 'a'), status: 'charged_back' };
    const settled = settleRefund(charged, 'a', { kind: 'succeeded' }, NOW);
    expect([settled.status, refundsOf(settled)[0]?.status]).toEqual(['charged_back', 'succeeded']);
  });

  it('of a transaction from an older version is its first', () => {
    const { refunds: _none, ...old }: Transaction = { ...PAID, refunds: [] };
    const written: Transaction = old;
    expect(refundsOf(written)).toEqual([]);
    expect(refundsOf(begun(written, 'a'))).toHaveLength(1);
  });

  it('that was made outside is counted once, in its amount, and cannot be refunded again', () => {
    const outside = { outsideRefunds: [{ id: 're_1', amount: '40' }] };
    const part = withBankActions(PAID, outside, NOW);
    expect(refundsOf(part)).toMatchObject([{ id: 're_1', amount: '40.00', status: 'succeeded', reason: null }]);
    expect([part.status, amountRefunded(part)]).toEqual(['completed', '40.00']);
    expect(withBankActions(part, outside, NOW + 1)).toBe(part);
    expect(codeOf(part, '61.51')).toBe('refund_exceeds_amount');
    const rest = { outsideRefunds: [...outside.outsideRefunds, { id: 're_2', amount: '61.50' }] };
    const whole = withBankActions(part, rest, NOW + 1);
    expect([whole.status, amountRefunded(whole)]).toEqual(['refunded', '101.50']);
    const back = withBankActions(whole, { ...rest, returnedRefunds: ['re_2'] }, NOW + 2);
    expect([back.status, amountReturned(back)]).toEqual(['refunded', '61.50']);
  });

  it('that the bank sent back is shown as returned, keeps its amount reserved, and leaves the status', () => {
    const part = settleRefund(begun(PAID, 'a', '40.00'), 'a', { kind: 'succeeded' }, NOW);
    const back = withBankActions(part, { returnedRefunds: ['a'] }, NOW + 1);
    expect(refundsOf(back)).toMatchObject([{ status: 'succeeded', returnedAt: NOW + 1 }]);
    expect([back.status, amountRefunded(back), amountReturned(back)]).toEqual(['completed', '40.00', '40.00']);
    expect(codeOf(back, '61.51')).toBe('refund_exceeds_amount');
    const whole = settleRefund(begun(back, 'b'), 'b', { kind: 'succeeded' }, NOW);
    const wholeBack = withBankActions(whole, { returnedRefunds: ['b', 'a'] }, NOW + 2);
    expect([wholeBack.status, amountReturned(wholeBack)]).toEqual(['refunded', '101.50']);
    expect(codeOf(wholeBack, '1.00')).toBe('refund_not_possible');
  });

  it('that the bank sent back before its success was reported had succeeded; one that failed never left', () => {
    const back = withBankActions(begun(PAID, 'a'), { returnedRefunds: ['a'] }, NOW);
    expect(refundsOf(back)).toMatchObject([{ status: 'succeeded', returnedAt: NOW }]);
    expect(back.status).toBe('refunded');
    expect(settleRefund(back, 'a', FAILED, NOW)).toBe(back);
    const failed = settleRefund(begun(PAID, 'a'), 'a', FAILED, NOW);
    expect(withBankActions(failed, { returnedRefunds: ['a', 'unknown'] }, NOW)).toBe(failed);
  });

  it('is limited to what the bank has not taken back, until the dispute is won', () => {
    const dispute = { id: 'dp_1', amount: '100', status: 'open' } as const;
    const disputed = withBankActions(PAID, { disputes: [dispute] }, NOW);
    expect(disputesOf(disputed)).toMatchObject([{ id: 'dp_1', amount: '100.00', status: 'open' }]);
    expect(codeOf(disputed, '1.51')).toBe('refund_exceeds_amount');
    expect(refundsOf(begun(disputed, 'a'))[0]?.amount).toBe('1.50');
    const won = withBankActions(disputed, { disputes: [{ ...dispute, status: 'won' }] }, NOW);
    expect(refundsOf(begun(won, 'a'))[0]?.amount).toBe('101.50');
  });

  it('never exceeds the paid amount, and what the buyer has is what was refunded less what came back', () => {
    const move = fc.oneof(
      fc.record({ kind: fc.constant('begin' as const), cents: fc.option(fc.integer({ min: 1, max: 12_000 })) }),
      fc.record({
        kind: fc.constantFrom('succeeded' as const, 'failed' as const, 'returned' as const),
        nth: fc.nat(6),
      }),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
        let transaction = PAID;
        for (const [n, one] of moves.entries()) {
          if (one.kind === 'begin') {
            const amount = one.cents === null ? null : (one.cents / 100).toFixed(2);
            transaction = beginRefund(transaction, request(String(n), amount), NOW).match(
              (done) => done.transaction,
              () => transaction,
            );
          } else {
            const id = refundsOf(transaction)[one.nth]?.id ?? '';
            const outcome: RefundOutcome = one.kind === 'failed' ? FAILED : { kind: 'succeeded' };
            transaction =
              one.kind === 'returned'
                ? withBankActions(transaction, { returnedRefunds: [id] }, NOW)
                : settleRefund(transaction, id, outcome, NOW);
          }
          const kept = refundsOf(transaction).filter(
            ({ status, returnedAt = null }) => status === 'succeeded' && returnedAt === null,
          );
          expect(subtract(amountRefunded(transaction) ?? '0', amountReturned(transaction) ?? '0')).toBe(
            normalise(kept.reduce((sum, { amount }) => add(sum, amount), '0')),
          );
          const taken = refundsOf(transaction).filter(({ status }) => status !== 'failed');
          const total = taken.reduce((sum, { amount }) => add(sum, amount), '0');
          expect(compare(total, '101.50')).toBeLessThanOrEqual(0);
          expect(transaction.status === 'refunded').toBe(amountRefunded(transaction) === '101.50');
        }
      }),
    );
  });
});
