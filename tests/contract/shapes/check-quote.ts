import assert from 'node:assert/strict';
import { decimal } from '@gateramp/core/domain';
import { type Members, membersOf, textOf } from '../kit.js';
import { arrayOf } from './array-of.js';
import { DECIMAL, TIME } from './patterns.js';

/** Checks the sums and the rate of a quote. */
export function checkQuote(quote: Members): void {
  const fees = arrayOf(quote['fees']);
  const total = fees.reduce((sum, fee) => decimal.add(sum, textOf(fee, 'amount')), '0');
  const feeTotal = textOf(quote, 'fee_total');
  assert.equal(decimal.compare(feeTotal, total), 0);
  assert.equal(
    decimal.compare(textOf(quote, 'source_total'), decimal.add(textOf(quote, 'source_subtotal'), feeTotal)),
    0,
  );
  const rate = textOf(quote, 'exchange_rate');
  assert.match(rate, DECIMAL);
  const given = textOf(membersOf(quote['destination']), 'amount');
  const off = decimal.subtract(given, decimal.multiply(textOf(quote, 'source_subtotal'), rate)).replace('-', '');
  const lastDecimal = `0.${'1'.padStart(given.split('.')[1]?.length ?? 0, '0')}`;
  assert.equal(decimal.compare(off, lastDecimal), -1, `one unit sent gives ${rate}`);
  assert.match(textOf(quote, 'expires_at'), TIME);
}
