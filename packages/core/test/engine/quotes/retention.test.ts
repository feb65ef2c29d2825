import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { documentWrite, findRow } from '../../../src/application/documents/document-kind.js';
import { quoteKind } from '../../../src/application/quotes/create-quote.js';
import { markUsed } from '../../../src/domain/quote/quote.js';
import { DAY } from '../../../src/domain/instant.js';
import { emptyChange } from '../../../src/ports/change.js';

const BODY = {
  currency: 'EUR',
  asset: 'USDC',
  amount: '100.00',
  side: 'on_ramp',
  country_code: 'DE',
  payment_method: 'bank_transfer',
} as const;

it('an unused quote is kept for a day after its expiry, a used one permanently', async () => {
  const t = await createTestGate();
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const create = async () => (await t.gate.quotes.create(scope, BODY))._unsafeUnwrap();
  const [unused, used] = [await create(), await create()];
  const open = await findRow(t.store, quoteKind, scope, used.id);
  if (open === null) throw new Error('The quote is not stored.');
  const now = t.clock.now('test');
  const taken = markUsed(open, 'pay-in', now)._unsafeUnwrap();
  const change = { ...emptyChange(scope, now), documents: [documentWrite(quoteKind, taken, open)] };
  expect(await t.store.commit(change)).toEqual({ kind: 'committed' });

  const statusOf = async (id: string) => {
    const { json } = await t.request('GET', `/v1/quotes/${id}`, { key: t.keys.secret.test });
    return json['status'] ?? json['code'];
  };
  expect(await statusOf(used.id)).toBe('used');
  const reapedAt = async (instant: number) => {
    await t.store.reap({ mode: 'test', now: instant, keepEnded: DAY, limit: 100 });
    return [await statusOf(unused.id), await statusOf(used.id)];
  };
  const kept = Date.parse(unused.expires_at) + DAY;
  await t.clock.advanceTo(kept);
  expect(await reapedAt(kept)).toEqual(['expired', 'used']);
  // Reads apply the retention even before the row is deleted.
  await t.clock.advanceTo(kept + 1);
  expect([await statusOf(unused.id), await statusOf(used.id)]).toEqual(['quote_not_found', 'used']);
  expect(await findRow(t.store, quoteKind, scope, unused.id)).not.toBeNull();
  expect(await reapedAt(kept + 1)).toEqual(['quote_not_found', 'used']);
  expect(await findRow(t.store, quoteKind, scope, unused.id)).toBeNull();
});
