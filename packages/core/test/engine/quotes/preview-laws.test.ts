import { decimal, FLOWS } from '@gateramp/core/domain';
import { addsUp } from '../../../src/domain/quote/quote.js';
import { createTestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const SIDES = fc.constantFrom(...FLOWS);
const asks = fc
  .record({
    side: SIDES,
    currency: fc.constantFrom('EUR', 'eur', 'USD'),
    asset: fc.constantFrom('USDC', 'eth'),
    network: fc.constantFrom(null, 'ethereum', 'Base'),
    source_asset: fc.constantFrom('ETH', 'usdc'),
    amount: fc.oneof(
      fc.stringMatching(/^[1-9]\d{0,3}(\.\d{1,2}0{0,6})?$/),
      fc.constantFrom('0.99', '1', '10000.00', '10000.01', '0100.0'),
    ),
    country_code: fc.constantFrom('DE', 'us', 'FR'),
  })
  .map(({ source_asset: source, ...ask }) => (ask.side === 'swap' ? { ...ask, source_asset: source } : ask));

const REFUSALS = ['corridor_not_supported', 'asset_network_mismatch', 'amount_below_minimum', 'amount_above_maximum'];

it('all quotes add up, echo the request, and have the same price when the request is made executable', async () => {
  const t = await createTestGate();
  const caller = { partnerId: t.partner.id, mode: 'test' } as const;
  let priced = 0;
  await fc.assert(
    fc.asyncProperty(asks, async (ask) => {
      const asked = await t.gate.quotes.preview(caller, ask);
      if (asked.isErr()) {
        expect(REFUSALS).toContain(asked.error.code);
        return;
      }
      priced += 1;
      const preview = asked.value;
      expect([preview.side, preview.amount]).toEqual([ask.side, ask.amount]);
      expect(preview.currency).toBe(ask.currency.toUpperCase());
      expect(preview.asset).toBe(ask.asset.toUpperCase());
      expect(preview.network).toBe(ask.network?.toLowerCase() ?? preview.network);
      for (const quote of preview.quotes) {
        const sums = {
          sourceSubtotal: quote.source_subtotal,
          sourceTotal: quote.source_total,
          feeTotal: quote.fee_total,
          fees: quote.fees,
        };
        expect(addsUp(sums)).toBe(true);
        expect(decimal.equals(quote.source_total, quote.source.amount ?? '')).toBe(true);
        expect(quote.available).toBe(quote.unavailable_reason === null);
        if (quote.available) {
          const fixed = await t.gate.quotes.create(caller, { ...ask, payment_method: quote.payment_method });
          expect(fixed._unsafeUnwrap()).toMatchObject({ ...quote, id: expect.stringMatching(/^[0-9a-f]{24}$/) });
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(priced).toBeGreaterThan(100);
});
