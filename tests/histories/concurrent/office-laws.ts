import assert from 'node:assert/strict';
import { decimal, type Decimal } from '@gateramp/core/domain';
import type { PoolTrade } from '@gateramp/extensions/pools';
import type { Members } from '../differential/command.js';
import { rowOf } from '../differential/known.js';
import { templateOf } from '../differential/template-of.js';
import type { Heard } from './crowd.js';
import type { Law } from './laws.js';
import { readPools, readRails, type RailRemains } from './office-remains.js';

/** Guarantees about payments over rails and trades in pools, for all concurrent requests. */
export const OFFICE_LAWS: readonly Law[] = [
  {
    title: 'a quote makes one payment over rails, which was acknowledged to whoever asked for it',
    check: async (aftermath) => {
      const made = madeBy(aftermath.heard, ['/v1/rails/pay_ins', '/v1/rails/pay_outs']);
      onePer(made, 'quote_id', 'id');
      const stored = (await readRails(aftermath)).map(({ payment }) => payment.id);
      assert.deepEqual(stored.toSorted(), [...new Set(made.map((row) => String(row['id'])))].toSorted());
    },
  },
  {
    title: 'a payment over rails agrees with its intent, its transaction and its events',
    check: async (aftermath) => {
      for (const { payment, intent, transaction, events } of await readRails(aftermath)) {
        assert.equal(payment.status, intent.status, payment.id);
        const expected = TRANSACTIONS[payment.status] ?? ['pending', 'processing'];
        assert.ok(expected.includes(transaction.status), `${payment.id} is ${payment.status}, ${transaction.status}`);
        const statuses = events.map(({ body }) => statusIn(body));
        assert.equal(
          new Set(statuses).size,
          statuses.length,
          `${payment.id} was announced twice as ${statuses.join()}`,
        );
        assert.ok(
          payment.status === 'created' || statuses.includes(payment.status),
          `${payment.id}: ${statuses.join()}`,
        );
      }
    },
  },
  {
    title: 'money of a payment over rails moves once, and is kept exactly where it succeeded',
    check: async (aftermath) => {
      for (const remains of await readRails(aftermath)) {
        const kinds = remains.effects.map(({ kind }) => kind);
        assert.equal(new Set(kinds).size, kinds.length, `${remains.payment.id}: ${kinds.join()}`);
        if (wasCarriedOut(remains)) assert.equal(keeps(kinds), true, `${remains.payment.id}: ${kinds.join()}`);
        if (['failed', 'cancelled'].includes(remains.transaction.status))
          assert.equal(keeps(kinds), false, `${remains.payment.id}: ${kinds.join()}`);
      }
    },
  },
  {
    title: 'a quote of a pool makes one trade, which was acknowledged to whoever asked for it',
    check: async (aftermath) => {
      const made = madeBy(aftermath.heard, ['/v1/pools/{id}/transact']);
      onePer(made, 'quoteId', 'transactId');
      const { trades } = await readPools(aftermath);
      const stored = trades.map(({ trade }) => trade.id);
      assert.deepEqual(stored.toSorted(), [...new Set(made.map((row) => String(row['transactId'])))].toSorted());
    },
  },
  {
    title: 'a pool has what it had less what its trades took, to the last unit, and keeps nothing reserved',
    check: async (aftermath) => {
      const { trades, balances } = await readPools(aftermath);
      for (const { pool, currency, opening, available, reserved } of balances) {
        const taken = trades
          .map(({ trade }) => trade)
          .filter((trade) => trade.poolId === pool && trade.status === 'completed')
          .reduce((sum, trade) => decimal.add(sum, amountIn(trade, currency)), '0');
        assert.equal(decimal.compare(reserved, '0'), 0, `${pool}: ${reserved} ${currency} stay reserved`);
        assert.equal(decimal.normalise(available), decimal.subtract(opening, taken), `${currency} of ${pool}`);
        assert.ok(decimal.compare(available, '0') >= 0, `${pool} is overdrawn`);
      }
    },
  },
  {
    title: 'a trade ends, and its money moved once or not at all',
    check: async (aftermath) => {
      for (const { trade, effects } of (await readPools(aftermath)).trades) {
        const moved = effects.map(({ kind, amount }) => `${kind} ${decimal.normalise(amount)}`);
        const whole = [`charge ${decimal.normalise(trade.amountIn)}`, `delivery ${decimal.normalise(trade.amountOut)}`];
        assert.notEqual(trade.status, 'processing', trade.id);
        assert.deepEqual(moved, trade.status === 'completed' ? whole : [], trade.id);
      }
    },
  },
];

const TRANSACTIONS: Readonly<Record<string, readonly string[]>> = {
  succeeded: ['completed'],
  failed: ['failed'],
  // Money that arrives for a cancelled payment is a late settlement, which only the transaction shows.
  cancelled: ['failed', 'completed'],
};

/** The rows of successful POST requests to these paths. */
function madeBy(heard: readonly Heard[], templates: readonly string[]): readonly Members[] {
  return heard
    .filter(
      ({ exchange, answer }) =>
        exchange.method === 'POST' && answer.status < 300 && templates.includes(templateOf(exchange.path)),
    )
    .map(({ answer }) => rowOf(answer) ?? {});
}

function onePer(rows: readonly Members[], by: string, what: string): void {
  const known = new Map<unknown, unknown>();
  for (const row of rows) {
    assert.equal(row[what], known.get(row[by]) ?? row[what], `${by} ${String(row[by])} made two`);
    known.set(row[by], row[what]);
  }
}

function statusIn(body: string): unknown {
  const { data } = JSON.parse(body) as { data: Members };
  return data['status'];
}

function wasCarriedOut({ transaction }: RailRemains): boolean {
  return transaction.status === 'completed';
}

/** Whether the money was kept: the purchase was delivered, and nothing went back. */
function keeps(kinds: readonly string[]): boolean {
  const isSettled = kinds.includes('delivery') || kinds.includes('payout');
  return isSettled && !kinds.includes('refund') && !kinds.includes('chargeback');
}

function amountIn(trade: PoolTrade, currency: string): Decimal {
  if (trade.currencyIn === currency) return trade.amountIn;
  return trade.currencyOut === currency ? trade.amountOut : '0';
}
