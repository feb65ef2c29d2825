import { fc, test } from '@fast-check/vitest';
import { decimal, feeTotal, FLOWS } from '@gateramp/core/domain';
import type { QuoteRequest } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { QUOTE_LIFETIME_MS, SANDBOX_TOKENS, sandboxProvider } from '../src/index.js';
import { NOW, quoteRequest, start } from './builders.js';

const provider = sandboxProvider();

/** Euros and dollars have cents. */
const FIAT_DECIMALS = 2;

async function quotesOf(changes: Partial<QuoteRequest> = {}) {
  const answer = await provider.quote(quoteRequest(changes));
  if (answer.kind === 'refused') throw new Error(answer.code);
  return answer.quotes;
}

const asset = fc.constantFrom(['USDC', 'base'], ['USDC', 'ethereum'], ['ETH', 'ethereum'], [null, null]);
const requests = fc
  .record({
    flow: fc.constantFrom(...FLOWS),
    currency: fc.constantFrom('EUR', 'usd'),
    amount: fc
      .tuple(fc.integer({ min: 1, max: 9999 }), fc.stringMatching(/^(\.\d{1,8})?$/))
      .map((parts) => parts.join('')),
    source: asset,
    target: asset,
  })
  .filter(({ flow, source, target }) => flow !== 'swap' || source[0] === null || source.join() !== target.join())
  .map(({ flow, currency, amount, source, target }) =>
    quoteRequest({
      flow,
      currency,
      amount,
      sourceToken: flow === 'on_ramp' ? null : (source[0] ?? null),
      sourceNetwork: flow === 'on_ramp' ? null : (source[1] ?? null),
      targetToken: flow === 'off_ramp' ? null : (target[0] ?? null),
      targetNetwork: flow === 'off_ramp' ? null : (target[1] ?? null),
    }),
  );

describe('quote laws', () => {
  test.prop([requests])('source_total = source_subtotal + fee_total; fee_total = Σ fees', async (request) => {
    const answer = await provider.quote(request);
    if (answer.kind === 'refused') return expect(answer.code).toBe('corridor_not_supported');
    for (const quote of answer.quotes) {
      expect(decimal.equals(quote.sourceTotal, decimal.add(quote.sourceSubtotal, quote.feeTotal))).toBe(true);
      expect(decimal.equals(quote.feeTotal, feeTotal(quote.fees))).toBe(true);
      expect(decimal.equals(quote.sourceTotal, quote.source.amount ?? '')).toBe(true);
      expect(decimal.isPositive(quote.sourceSubtotal)).toBe(true);
      expect(decimal.isPositive(quote.destination.amount ?? '')).toBe(true);
    }
  });

  test.prop([requests])(
    'exchange_rate is destination per source: |destination − subtotal × rate| < one unit of the last decimal',
    async (request) => {
      const answer = await provider.quote(request);
      if (answer.kind === 'refused') return;
      for (const { destination, sourceSubtotal, exchangeRate } of answer.quotes) {
        const off = decimal
          .subtract(destination.amount ?? '', decimal.multiply(sourceSubtotal, exchangeRate))
          .replace('-', '');
        const decimals = SANDBOX_TOKENS[destination.currency ?? '']?.decimals ?? FIAT_DECIMALS;
        expect(decimal.compare(off, `0.${'1'.padStart(decimals, '0')}`)).toBe(-1);
      }
    },
  );

  test.prop([requests])('the fiat side is exactly the amount, and fees are in what is sent', async (request) => {
    const answer = await provider.quote(request);
    if (answer.kind === 'refused') return;
    for (const quote of answer.quotes) {
      if (request.flow === 'on_ramp')
        expect(quote.source).toEqual({
          amount: request.amount,
          currency: request.currency.toUpperCase(),
          network: null,
        });
      if (request.flow === 'off_ramp') expect(quote.destination.amount).toBe(request.amount);
      for (const fee of quote.fees) expect(fee.currency).toBe(quote.source.currency);
    }
  });

  test.prop([requests])(
    'a quote can be used on its terms by the caller that asked, and by no other',
    async (request) => {
      const answer = await provider.quote(request);
      if (answer.kind === 'refused') return;
      for (const { id, paymentMethod } of answer.quotes) {
        const taken = { ...request, paymentMethod, amount: `0${request.amount}` };
        expect(await provider.checkQuote(id, taken)).toMatchObject({ kind: 'valid', fixed: { paymentMethod } });
        expect(
          await provider.checkQuote(id, { ...taken, scope: { partnerId: 'another', mode: 'test' } }),
        ).toMatchObject({ code: 'quote_not_found' });
        expect(await provider.checkQuote(id, { ...taken, scope: { ...request.scope, mode: 'live' } })).toMatchObject({
          code: 'quote_not_found',
        });
        expect(await provider.checkQuote(id, { ...taken, amount: decimal.add(request.amount, '0.01') })).toMatchObject({
          code: 'quote_not_found',
        });
      }
    },
  );
});

const priceOf = (request: QuoteRequest, token: string | null) =>
  SANDBOX_TOKENS[token ?? '']?.prices[request.currency.toUpperCase()] ?? '0';

test.prop([requests.filter(({ flow }) => flow !== 'on_ramp')])(
  'what is asked for in crypto is worth at least the amount, and hardly more',
  async (request) => {
    const answer = await provider.quote(request);
    if (answer.kind === 'refused') return;
    for (const quote of answer.quotes) {
      const price = priceOf(request, quote.source.currency);
      const worth = decimal.multiply(request.flow === 'off_ramp' ? quote.sourceSubtotal : quote.sourceTotal, price);
      expect(decimal.compare(worth, request.amount)).toBeGreaterThanOrEqual(0);
      expect(decimal.compare(decimal.subtract(worth, request.amount), '0.0001')).toBe(-1);
    }
  },
);

describe('quotes', () => {
  it('lists one quote per payment method of the flow', async () => {
    expect((await quotesOf()).map((quote) => [quote.paymentMethod, quote.available])).toEqual([
      ['card', true],
      ['bank_transfer', true],
    ]);
    expect((await quotesOf({ flow: 'off_ramp' })).map((quote) => quote.paymentMethod)).toEqual(['bank_transfer']);
    expect((await quotesOf({ flow: 'swap' })).map((quote) => quote.paymentMethod)).toEqual(['crypto']);
  });

  it('keeps a method that cannot serve listed with available:false', async () => {
    expect((await quotesOf({ countryCode: 'FR' })).map((quote) => [quote.available, quote.unavailableReason])).toEqual([
      [false, 'region_unsupported'],
      [false, 'region_unsupported'],
    ]);
    expect(await quotesOf({ paymentMethod: 'crypto' })).toMatchObject([
      { available: false, unavailableReason: 'payment_method_not_supported' },
    ]);
  });

  it.each([
    [{}, '1.08695652173913043'],
    [{ targetToken: 'ETH' }, '0.000333333333333333333'],
    [{ flow: 'off_ramp' as const, sourceToken: 'ETH' }, '3000'],
    [{ flow: 'swap' as const }, '3260.8695652173913'],
    [{ flow: 'swap' as const, currency: 'USD', targetToken: 'ETH' }, '0.000306748466257668711'],
  ])('says what one unit sent gives, at 18 significant digits: %o', async (changes, rate) => {
    expect((await quotesOf(changes))[0]?.exchangeRate).toBe(rate);
  });

  it('is what the operation then costs', async () => {
    const [quoted] = await quotesOf({ paymentMethod: 'card' });
    const { details } = await sandboxProvider().start(start());
    const { source, destination, exchangeRate, fees, feeTotal } = quoted ?? {};
    expect(details).toMatchObject({ source, destination, exchangeRate, fees, feeTotal });
  });

  it.each([
    ['corridor_not_supported', { currency: 'GBP' }],
    ['corridor_not_supported', { targetToken: 'DOGE' }],
    ['corridor_not_supported', { targetNetwork: 'solana' }],
    ['corridor_not_supported', { flow: 'swap' as const, sourceToken: 'USDC', targetToken: 'USDC' }],
    ['asset_network_mismatch', { targetToken: 'ETH', targetNetwork: 'base' }],
    ['amount_below_minimum', { amount: '0.99' }],
    ['amount_above_maximum', { amount: '10000.01' }],
  ])('refuses with %s: %o', async (code, changes) => {
    expect(await provider.quote(quoteRequest(changes))).toMatchObject({ kind: 'refused', code });
  });

  it('fills in what the terms leave open', async () => {
    expect((await quotesOf())[0]?.destination).toMatchObject({ currency: 'USDC', network: 'base' });
    expect((await quotesOf({ targetNetwork: 'ethereum' }))[0]?.destination).toMatchObject({
      currency: 'ETH',
      network: 'ethereum',
    });
    expect((await quotesOf({ flow: 'off_ramp' }))[0]?.source).toMatchObject({ currency: 'USDC', network: 'base' });
    expect((await quotesOf({ flow: 'swap' }))[0]).toMatchObject({
      source: { currency: 'ETH' },
      destination: { currency: 'USDC', network: 'base' },
    });
    expect((await quotesOf({ flow: 'swap', targetToken: 'eth' }))[0]).toMatchObject({
      source: { currency: 'USDC' },
      destination: { currency: 'ETH' },
    });
  });

  test.prop([requests, fc.constantFrom(null, 'DE', 'us', 'FR')])(
    'says exactly what it fixed, whatever is asked with it',
    async (request, countryCode) => {
      const answer = await provider.quote({ ...request, countryCode });
      if (answer.kind === 'refused') return;
      for (const { id, paymentMethod, source, destination } of answer.quotes) {
        const asked = {
          ...request,
          sourceToken: null,
          sourceNetwork: null,
          targetToken: 'ETH',
          targetNetwork: null,
          paymentMethod: 'card' as const,
        };
        const [sold, bought] = [
          request.flow === 'on_ramp' ? null : source,
          request.flow === 'off_ramp' ? null : destination,
        ];
        expect(await provider.checkQuote(id, asked)).toEqual({
          kind: 'valid',
          fixed: {
            sourceToken: sold?.currency ?? null,
            sourceNetwork: sold?.network ?? null,
            targetToken: bought?.currency ?? null,
            targetNetwork: bought?.network ?? null,
            paymentMethod,
            countryCode: countryCode?.toUpperCase() ?? null,
          },
        });
      }
    },
  );

  it('is good through its last millisecond and then quote_expired', async () => {
    const [{ id } = { id: '' }] = await quotesOf();
    expect(await provider.checkQuote(id, quoteRequest({ now: NOW + QUOTE_LIFETIME_MS }))).toMatchObject({
      kind: 'valid',
    });
    expect(await provider.checkQuote(id, quoteRequest({ now: NOW + QUOTE_LIFETIME_MS + 1 }))).toMatchObject({
      code: 'quote_expired',
    });
  });

  it('answers quote_not_found to a made-up, altered or foreign id', async () => {
    const [{ id } = { id: '' }] = await quotesOf();
    const altered = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const longer = id.replace(/_(\w)/, (_all, first: string) => `_${first === 'z' ? 'y' : 'z'}`);
    const cheaper = id.replace(/_c(\d\d)/, '_b$1');
    const elsewhere = id.replace(/_c0\d/, '_c03');
    for (const other of ['', 'quote_1', altered, longer, cheaper, elsewhere]) {
      expect(await provider.checkQuote(other, quoteRequest())).toMatchObject({ code: 'quote_not_found' });
    }
    expect(await sandboxProvider({ callbackSecret: 'another' }).checkQuote(id, quoteRequest())).toMatchObject({
      code: 'quote_not_found',
    });
  });
});
