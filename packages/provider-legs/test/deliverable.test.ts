import { expect, test } from 'vitest';
import { decimal } from '@gateramp/core/domain';
import { fc, test as property } from '@fast-check/vitest';
import { QUOTE_REQUEST, REFUND_ADDRESS, WALLET, world } from './world.js';

const SCOPE = { partnerId: 'partner1', mode: 'test' } as const;

const stocked = (usdc: string) => {
  const w = world();
  w.chain.stock.set('USDC@base', usdc);
  return w;
};

const request = (w: ReturnType<typeof stocked>, amount: string) =>
  ({ ...QUOTE_REQUEST, scope: SCOPE, amount, paymentMethod: 'card', now: w.now }) as const;

test('a quote shows the largest amount that can be delivered, and one above it is refused by that amount', async () => {
  const w = stocked('50');
  const quoted = await w.provider.quote(request(w, '10.00'));
  if (quoted.kind !== 'quotes') throw new Error(quoted.message);
  const max = quoted.quotes[0]?.limits.maxAmount ?? '';
  expect(max).toMatch(/^4\d\.\d\d$/);
  const above = decimal.add(max, '0.01');
  const refused = {
    kind: 'refused',
    code: 'amount_above_maximum',
    message: `The largest amount is ${max} EUR at the moment.`,
  };
  expect(await w.provider.quote(request(w, above))).toEqual(refused);
  const attempt = { walletAddress: WALLET, refundAddress: REFUND_ADDRESS };
  expect(await w.provider.resolve({ ...request(w, above), ...attempt })).toEqual(refused);
  expect(await w.provider.resolve({ ...request(w, max), ...attempt })).toMatchObject({ kind: 'resolved' });
  expect((await w.provider.capabilities(SCOPE)).limits).toContainEqual(
    expect.objectContaining({ flow: 'on_ramp', paymentMethod: 'card', maxAmount: expect.stringMatching(/^10000/) }),
  );
});

test('the limit of a flow is that of the token of which the most can be delivered', async () => {
  const w = stocked('50');
  w.chain.stock.set('ETH@base', '0.01');
  const { limits } = await w.provider.capabilities(SCOPE);
  const quoted = await w.provider.quote(request(w, '10.00'));
  if (quoted.kind !== 'quotes') throw new Error(quoted.message);
  expect(limits.find(({ flow, paymentMethod }) => flow === 'on_ramp' && paymentMethod === 'card')?.maxAmount).toBe(
    quoted.quotes[0]?.limits.maxAmount,
  );
  expect(limits.find(({ flow }) => flow === 'off_ramp')?.maxAmount).toMatch(/^10000/);
});

test('an order that names no token gets one of which there is enough', async () => {
  const w = stocked('50');
  const open = { ...request(w, '1000.00'), targetToken: null, targetNetwork: null };
  expect(await w.provider.resolve({ ...open, walletAddress: WALLET, refundAddress: null })).toMatchObject({
    kind: 'resolved',
    terms: { targetToken: 'ETH' },
  });
});

test('without any stock the token is unavailable, and a sale of it is not', async () => {
  const w = stocked('0');
  expect(await w.provider.quote(request(w, '10.00'))).toMatchObject({ code: 'service_unavailable' });
  const sale = { flow: 'off_ramp', sourceToken: 'USDC', targetToken: null, targetNetwork: null } as const;
  const sold = await w.provider.quote({ ...request(w, '10.00'), ...sale, paymentMethod: null });
  expect(sold.kind).toBe('quotes');
});

property.prop([fc.integer({ min: 1, max: 20_000_000_000 })])(
  'the largest amount can be delivered, and one more unit of the currency cannot',
  async (units) => {
    const held = decimal.divideDown(String(units), '1000000', 6);
    const w = stocked(held);
    const quoted = await w.provider.quote(request(w, '1.00'));
    if (quoted.kind !== 'quotes') {
      expect(quoted.code).toBe('service_unavailable');
      return;
    }
    const max = quoted.quotes[0]?.limits.maxAmount ?? '';
    const largest = await w.provider.quote(request(w, max));
    if (largest.kind !== 'quotes') throw new Error(largest.message);
    const bought = largest.quotes[0]?.destination.amount ?? '';
    expect(decimal.compare(bought, held)).toBeLessThanOrEqual(0);
    if (decimal.equals(max, '10000')) return;
    // One unit more would exceed the stock: it is worth less than 0.03 USDC, fees included.
    expect(decimal.compare(decimal.add(bought, '0.03'), held)).toBe(1);
  },
);
