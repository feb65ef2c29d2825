import assert from 'node:assert/strict';
import { decimal } from '@gateramp/core/domain';
import { type Members, membersOf, textOf } from '../kit.js';
import { arrayOf, sameMembers } from './check-members.js';
import { DECIMAL, MEMBERS, TIME } from './members.js';

/** A quote's members, its sums and its rate; `more` is what it shows beyond any quote. */
export function checkQuote(quote: Members, more: readonly string[] = []): void {
  sameMembers(quote, [...MEMBERS.quote, ...more]);
  sameMembers(quote['source'], MEMBERS.side);
  sameMembers(quote['destination'], MEMBERS.side);
  sameMembers(quote['limits'], ['min_amount', 'max_amount', 'currency']);
  const fees = arrayOf(quote['fees']);
  for (const fee of fees) sameMembers(fee, MEMBERS.fee);
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
