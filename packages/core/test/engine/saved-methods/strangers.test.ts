import { createTestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../../tests/depth.js';
import { type Buyer, CARD, checkoutOf, idsOf, openShop } from './buyers.js';

/** Four cards that differ in their expiry. */
const EXPIRIES = ['01/39', '02/39', '03/39', '04/39'] as const;

const step = fc.record({
  does: fc.constantFrom('save', 'save', 'pay', 'remove'),
  buyer: fc.nat(4),
  expiry: fc.constantFrom(...EXPIRIES),
  /** Index into all ids that any buyer was shown. */
  method: fc.nat(20),
});

it('no buyer lists, uses or removes a method of another: reference, partner and mode are all distinguished', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (history) => {
      const t = await createTestGate();
      const [acme, rival] = [await openShop(t, 'Acme'), await openShop(t, 'Rival')];
      const ada: Buyer = { shop: acme, mode: 'test', reference: 'ada' };
      // Each differs from the first in one respect.
      const anyone: readonly Buyer[] = [
        ada,
        { ...ada, reference: 'bob' },
        { ...ada, shop: rival },
        { ...ada, mode: 'live' },
        { ...ada, reference: null },
      ];
      const shown = ['000000000000.card_1', 'unknown'];
      const own = new Map<Buyer, Set<string>>(anyone.map((buyer) => [buyer, new Set()]));
      for (const { does, buyer: nth, expiry, method } of history) {
        const buyer = anyone[nth] ?? ada;
        const mine = own.get(buyer) ?? new Set();
        const checkout = await checkoutOf(t, buyer);
        const id = shown[method % shown.length] ?? '';
        if (does === 'save') {
          const paid = await checkout.pay({ ...CARD, expiry, save: true });
          expect(paid.status).toBe(buyer.reference === null ? 400 : 201);
        } else {
          const answer = does === 'pay' ? await checkout.pay({ saved_method: id }) : await checkout.remove(id);
          const isPaid = does === 'pay' && mine.has(id);
          expect([answer.status, answer.json['code']]).toEqual(
            mine.has(id) ? [isPaid ? 201 : 200, undefined] : [404, 'payment_method_not_found'],
          );
          if (does === 'remove') mine.delete(id);
        }
        for (const other of anyone) {
          const listed = idsOf(await (await checkoutOf(t, other)).saved());
          const theirs = own.get(other) ?? new Set();
          const fresh = listed.filter((one) => !theirs.has(one));
          // Only a save by the same buyer adds one, and its id is new.
          expect(fresh.length).toBeLessThanOrEqual(other === buyer && does === 'save' ? 1 : 0);
          expect(shown).not.toContain(fresh[0]);
          for (const one of fresh) {
            theirs.add(one);
            shown.push(one);
          }
          expect(new Set(listed)).toEqual(theirs);
        }
      }
    }),
    { numRuns: runs(3, 60) },
  );
});
