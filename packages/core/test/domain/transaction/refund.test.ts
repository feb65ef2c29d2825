import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, compare } from '../../../src/domain/money.js';
import {
  amountRefunded,
  beginRefund,
  refundsOf,
  settleRefund,
  type NewRefund,
  type RefundOutcome,
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

  it('never exceeds the paid amount, for any requests and results', () => {
    const move = fc.oneof(
      fc.record({ kind: fc.constant('begin' as const), cents: fc.option(fc.integer({ min: 1, max: 12_000 })) }),
      fc.record({ kind: fc.constantFrom('succeeded' as const, 'failed' as const), nth: fc.nat(6) }),
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
            transaction = settleRefund(transaction, id, outcome, NOW);
          }
          const taken = refundsOf(transaction).filter(({ status }) => status !== 'failed');
          const total = taken.reduce((sum, { amount }) => add(sum, amount), '0');
          expect(compare(total, '101.50')).toBeLessThanOrEqual(0);
          expect(transaction.status === 'refunded').toBe(amountRefunded(transaction) === '101.50');
        }
      }),
    );
  });
});
