import assert from 'node:assert/strict';
import { decimal, feeTotal, isSameCode, type Decimal, type Quote } from '@gateramp/core/domain';
import type { QuoteRequest } from '@gateramp/core/ports';
import { expectAmount, expectTaken, pay, requestOf, tenths } from './drive-payment.js';
import { providerLawsOf, type ProviderOnTrial } from './provider-subject.js';

const YEAR = 365 * 24 * 60 * 60_000;
/** Exchange rates have 18 significant digits, so a computed amount may be off in the digits after these. */
const RATE_ERROR = '0.000000000000001';

/** Laws of `quote` and `checkQuote`. */
export const quoteLaws = providerLawsOf('Quotes of a provider', [], {
  async 'add up: what is sent is what buys plus the fees, and buys at the rate shown'(trial) {
    const request = requestOf(trial, trial.order());
    const { assets } = await trial.provider.capabilities(request.scope);
    for (const { amount: sent, quote } of await severalQuotes(trial, request)) {
      expectAmount(quote.feeTotal, feeTotal(quote.fees), 'The fee total is');
      expectAmount(quote.sourceTotal, decimal.add(quote.sourceSubtotal, quote.feeTotal), 'The source total is');
      expectAmount(quote.source.amount ?? '0', quote.sourceTotal, 'The source of the quote is');
      expectAmount(quote.sourceTotal, sent, 'The total of an on-ramp is');
      const { currency, amount } = quote.destination;
      const decimals = assets.find(({ code }) => isSameCode(code, currency ?? ''))?.decimals;
      assert.ok(decimals !== undefined && amount !== null, `The capabilities list the asset ${currency}.`);
      expectBought(amount, decimal.multiply(quote.sourceSubtotal, quote.exchangeRate), decimals);
    }
    await expectTaken(trial, '0');
  },
  async 'have no more decimals than their currency and asset'(trial) {
    const request = requestOf(trial, trial.order());
    const { assets, currencies } = await trial.provider.capabilities(request.scope);
    const digits = currencies.find(({ code }) => isSameCode(code, request.currency))?.decimals;
    assert.ok(digits !== undefined, `The capabilities list the currency ${request.currency}.`);
    for (const { quote } of await severalQuotes(trial, request)) {
      const { sourceTotal, sourceSubtotal, destination } = quote;
      for (const amount of [sourceTotal, sourceSubtotal, quote.feeTotal, ...quote.fees.map((fee) => fee.amount)])
        assert.ok(decimalsOf(amount) <= digits, `${amount} ${request.currency} has too many decimals.`);
      const asset = assets.find(({ code }) => isSameCode(code, destination.currency ?? ''));
      assert.ok(asset !== undefined && decimalsOf(destination.amount ?? '') <= asset.decimals);
    }
  },
  async 'are for the requested payment method, or for every method of the flow'(trial) {
    const request = requestOf(trial, trial.order());
    const { paymentMethods } = await trial.provider.capabilities(request.scope);
    const all = await quotesOf(trial, { ...request, paymentMethod: null });
    const served = paymentMethods[request.flow] ?? [];
    assert.deepEqual(all.map((quote) => quote.paymentMethod).sort(), [...served].sort());
    const one = await quotesOf(trial, request);
    if (request.paymentMethod === null) return;
    assert.deepEqual(
      one.map(({ paymentMethod, available }) => ({ paymentMethod, available })),
      [{ paymentMethod: request.paymentMethod, available: true }],
    );
  },
  async 'are what a payment then takes'(trial) {
    const order = trial.order();
    const quote = await aQuote(trial, requestOf(trial, order));
    await pay(trial, order);
    await expectTaken(trial, quote.sourceTotal);
  },
  async 'can be used until their expiry, and not a millisecond longer'(trial) {
    const { provider } = trial;
    const request = requestOf(trial, trial.order());
    const { id, expiresAt } = await aQuote(trial, request);
    assert.ok(expiresAt > request.now, 'A quote expires in the future.');
    assert.equal((await provider.checkQuote(id, request)).kind, 'valid');
    assert.equal((await provider.checkQuote(id, { ...request, now: expiresAt })).kind, 'valid');
    for (const now of [expiresAt + 1, expiresAt + YEAR]) {
      const check = await provider.checkQuote(id, { ...request, now });
      assert.equal(check.kind === 'refused' ? check.code : check.kind, 'quote_expired');
    }
  },
  async 'expire by the time of the request, not by a clock'(trial) {
    const request = requestOf(trial, trial.order());
    const [now, later] = [await aQuote(trial, request), await aQuote(trial, { ...request, now: request.now + YEAR })];
    assert.equal(later.expiresAt - now.expiresAt, YEAR);
  },
  async 'belong to one partner and mode'(trial) {
    const request = requestOf(trial, trial.order());
    const { id } = await aQuote(trial, request);
    const { partnerId, mode } = request.scope;
    const another = `${partnerId.slice(0, -1)}${partnerId.endsWith('1') ? '2' : '1'}`;
    await expectNotFound(trial, id, { ...request, scope: { partnerId: another, mode } });
    await expectNotFound(trial, id, { ...request, scope: { partnerId, mode: mode === 'test' ? 'live' : 'test' } });
    assert.equal((await trial.provider.checkQuote(id, request)).kind, 'valid');
  },
  async 'are for one flow, currency and amount'(trial) {
    const request = requestOf(trial, trial.order());
    const { id } = await aQuote(trial, request);
    await expectNotFound(trial, id, { ...request, amount: decimal.add(request.amount, '1') });
    await expectNotFound(trial, id, { ...request, currency: isSameCode(request.currency, 'USD') ? 'EUR' : 'USD' });
    await expectNotFound(trial, id, { ...request, flow: 'off_ramp' });
    const amount = request.amount.includes('.') ? `${request.amount}0` : `${request.amount}.0`;
    const respelt = await trial.provider.checkQuote(id, { ...request, amount });
    assert.equal(respelt.kind, 'valid', 'Amounts are compared as numbers.');
  },
  async 'cannot be invented: an unknown or changed id is not found'(trial) {
    const request = requestOf(trial, trial.order());
    const { id } = await aQuote(trial, request);
    const last = id.slice(-1) === '0' ? '1' : '0';
    for (const invented of ['', 'quote_unknown', `${id}0`, `${id.slice(0, -1)}${last}`])
      await expectNotFound(trial, invented, request);
    const first = /\d/.exec(id)?.[0];
    if (first !== undefined) await expectNotFound(trial, id.replace(first, first === '9' ? '8' : '9'), request);
  },
  async 'fix the terms that they were quoted for, whatever the later request leaves open'(trial) {
    const request = requestOf(trial, trial.order());
    const quote = await aQuote(trial, request);
    const check = await trial.provider.checkQuote(quote.id, request);
    assert.ok(check.kind === 'valid');
    const { fixed } = check;
    const open = { targetToken: null, targetNetwork: null, paymentMethod: null, countryCode: null };
    assert.deepEqual(await trial.provider.checkQuote(quote.id, { ...request, ...open }), check);
    assert.equal(fixed.paymentMethod, quote.paymentMethod);
    assert.ok(isSameCode(fixed.targetToken ?? '', quote.destination.currency ?? ''), 'The quote fixes its asset.');
    assert.ok(isSameCode(fixed.targetNetwork ?? '', quote.destination.network ?? ''), 'The quote fixes its network.');
  },
});

async function quotesOf({ provider }: ProviderOnTrial, request: QuoteRequest): Promise<readonly Quote[]> {
  const answer = await provider.quote(request);
  assert.ok(answer.kind === 'quotes', 'The provider quotes the order of the trial.');
  assert.ok(answer.quotes.length > 0, 'The answer has a quote.');
  return answer.quotes;
}

/** Of every method, for an amount that is likely to leave a remainder too. */
async function severalQuotes(trial: ProviderOnTrial, request: QuoteRequest) {
  const quoted: { readonly amount: Decimal; readonly quote: Quote }[] = [];
  for (const amount of [request.amount, tenths(request.amount, 13)])
    for (const quote of await quotesOf(trial, { ...request, amount, paymentMethod: null }))
      quoted.push({ amount, quote });
  return quoted;
}

async function aQuote(trial: ProviderOnTrial, request: QuoteRequest): Promise<Quote> {
  const quote = (await quotesOf(trial, request)).find(({ available }) => available);
  assert.ok(quote !== undefined, 'The quote of the order of the trial is available.');
  return quote;
}

async function expectNotFound({ provider }: ProviderOnTrial, id: string, request: QuoteRequest): Promise<void> {
  const check = await provider.checkQuote(id, request);
  assert.equal(check.kind === 'refused' ? check.code : check.kind, 'quote_not_found');
}

/** What the subtotal buys, rounded down to the asset's decimals or less exactly than the rate. */
function expectBought(amount: Decimal, exact: Decimal, decimals: number): void {
  const step = decimal.divideDown('1', `1${'0'.repeat(decimals)}`, decimals);
  const tolerance = decimal.add(step, decimal.multiply(exact, RATE_ERROR));
  const difference = decimal.subtract(exact, amount);
  const distance = difference.startsWith('-') ? difference.slice(1) : difference;
  assert.ok(decimal.compare(distance, tolerance) <= 0, `${amount} is not what the subtotal buys, which is ${exact}.`);
}

function decimalsOf(amount: Decimal): number {
  return decimal.normalise(amount).split('.')[1]?.length ?? 0;
}
