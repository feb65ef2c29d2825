import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Capabilities, Quote } from '@gateramp/core/domain';
import type { Provider, QuoteRequest } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { until } from '../until.js';

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;

/** Sells USDC on solana and SOL, by card and crypto, for euros; cheaper than the sandbox, and up to a million. */
const SOLANA: Capabilities = {
  flows: ['on_ramp'],
  paymentMethods: { on_ramp: ['card', 'crypto'] },
  countries: [{ code: 'FR', name: 'France', flows: ['on_ramp'], paymentMethods: ['card', 'crypto'] }],
  currencies: [{ code: 'EUR', name: 'Euros of theirs', decimals: 4, flows: ['on_ramp'] }],
  assets: [
    { code: 'SOL', name: 'Sol', decimals: 9, networks: ['solana'], flows: ['on_ramp'] },
    { code: 'USDC', name: 'Theirs', decimals: 2, networks: ['solana', 'base'], flows: ['on_ramp'] },
  ],
  networks: [{ code: 'solana', name: 'Solana', addressFormat: 'solana' }],
  limits: [{ flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '0.50', maxAmount: '1000000' }],
};

interface Asked {
  readonly provider: Provider;
  readonly requests: QuoteRequest[];
}

/** A second provider whose quotes a test can change. */
function solana(bend: (quote: Quote) => Partial<Quote> = () => ({}), changes: Partial<Provider> = {}): Asked {
  const requests: QuoteRequest[] = [];
  const sandbox = sandboxProvider();
  const provider: Provider = {
    ...sandbox,
    name: 'solana',
    capabilities: async () => SOLANA,
    quote: async (request) => {
      requests.push(request);
      const now = request.now;
      return {
        kind: 'quotes',
        rateFetchedAt: now - 5_000,
        expiresAt: now + 60_000,
        quotes: (SOLANA.paymentMethods.on_ramp ?? []).map((paymentMethod): Quote => {
          const quote: Quote = {
            id: `theirs-${paymentMethod}`,
            paymentMethod,
            available: true,
            unavailableReason: null,
            source: { amount: request.amount, currency: request.currency, network: null },
            destination: { amount: '99', currency: request.targetToken, network: request.targetNetwork },
            exchangeRate: '1',
            sourceSubtotal: '99.00',
            sourceTotal: '100.00',
            fees: [{ type: 'service', amount: '1.00', currency: request.currency }],
            feeTotal: '1.00',
            limits: { minAmount: '0.50', maxAmount: '1000000', currency: request.currency },
            estimatedSettlementSeconds: 1,
            expiresAt: now + 60_000,
          };
          return { ...quote, ...bend(quote) };
        }),
      };
    },
    ...changes,
  };
  return { provider, requests };
}

/** More USDC for 100.00 EUR than the sandbox gives. */
const cheaper = ({ destination }: Quote): Partial<Quote> => ({ destination: { ...destination, amount: '110' } });

function gateOf(...providers: readonly Provider[]): Promise<TestGate> {
  return createTestGate({ ports: { providers } });
}

const preview = (t: TestGate, body: object = {}) =>
  t.request('POST', '/v1/quotes/preview', { key: t.keys.secret.test, body: { ...ASK, ...body } });
const fix = (t: TestGate, body: object = {}) =>
  t.request('POST', '/v1/quotes', { key: t.keys.secret.test, body: { ...ASK, payment_method: 'card', ...body } });
const list = async (t: TestGate, name: string) => {
  const { json } = await t.request('GET', `/v1/capabilities/${name}`, { key: t.keys.secret.test });
  return json['data'] as readonly Readonly<Record<string, unknown>>[];
};

/** The total fee identifies a quote's provider: the sandbox's is 1.05. */
async function methodsOf(t: TestGate, body: object = {}) {
  const { json } = await preview(t, body);
  const quotes = json['quotes'] as readonly Readonly<Record<string, unknown>>[];
  return quotes.map((quote) => [quote['payment_method'], quote['available'], quote['fee_total']]);
}

describe('capabilities of two providers', () => {
  it('are merged: rows of both, the first wins, flows and networks are joined, limits are widened', async () => {
    const t = await gateOf(sandboxProvider(), solana().provider);
    expect((await list(t, 'countries')).map(({ code }) => code)).toEqual(['DE', 'US', 'FR']);
    expect((await list(t, 'currencies'))[0]).toMatchObject({ code: 'EUR', name: 'Euro', decimals: 2 });
    expect(await list(t, 'assets')).toMatchObject([
      { code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base', 'ethereum', 'solana'] },
      { code: 'ETH' },
      { code: 'SOL', flows: ['on_ramp'] },
    ]);
    expect((await list(t, 'networks')).find(({ code }) => code === 'solana')).toMatchObject({
      address_format: 'solana',
      assets: ['USDC', 'SOL'],
    });
    expect((await list(t, 'payment_methods')).find(({ code }) => code === 'crypto')?.['flows']).toEqual([
      'on_ramp',
      'swap',
    ]);
    const card = (await list(t, 'limits')).filter(
      (row) => row['payment_method'] === 'card' && row['currency'] === 'EUR',
    );
    expect(card).toMatchObject([{ flow: 'on_ramp', min_amount: '0.50', max_amount: '1000000' }]);
  });

  it('continue without one that is down, with an alarm', async () => {
    const away = solana(undefined, { capabilities: () => Promise.reject(new Error('away')) });
    const t = await gateOf(away.provider, sandboxProvider());
    expect((await list(t, 'countries')).map(({ code }) => code)).toEqual(['DE', 'US']);
    expect(t.telemetry.failures.map(({ fields }) => fields['provider'])).toEqual(['solana']);
  });
});

describe('a preview at two providers', () => {
  it('has one quote per method of either, from the one with the best rate', async () => {
    const other = solana();
    expect(await methodsOf(await gateOf(sandboxProvider(), other.provider))).toEqual([
      ['card', true, '1.05'],
      ['bank_transfer', true, '1.05'],
      ['crypto', true, '1.00'],
    ]);
    const generous = solana(cheaper);
    expect(await methodsOf(await gateOf(sandboxProvider(), generous.provider))).toEqual([
      ['card', true, '1.00'],
      ['bank_transfer', true, '1.05'],
      ['crypto', true, '1.00'],
    ]);
  });

  it("takes the first in the host's order if both rates are equal", async () => {
    const same = (name: string, fee: string): Provider => ({
      ...solana(() => ({
        fees: [{ type: 'service', amount: fee, currency: 'EUR' }],
        feeTotal: fee,
        sourceSubtotal: String(100 - Number(fee)),
      })).provider,
      name,
    });
    expect((await methodsOf(await gateOf(same('one', '2'), same('two', '1'))))[0]).toEqual(['card', true, '2']);
  });

  it('takes the quote of the second if the first cannot serve', async () => {
    const t = await gateOf(sandboxProvider(), solana().provider);
    expect(await methodsOf(t, { country_code: 'FR' })).toEqual([
      ['card', true, '1.00'],
      ['bank_transfer', false, '1.05'],
      ['crypto', true, '1.00'],
    ]);
  });

  it('prices the same market at both: an open network is resolved once for all', async () => {
    const other = solana();
    const { json } = await preview(await gateOf(sandboxProvider(), other.provider));
    expect(json['network']).toBe('base');
    expect(other.requests).toMatchObject([{ targetToken: 'USDC', targetNetwork: 'base', paymentMethod: null }]);
  });

  it('calls no provider for markets that it does not list', async () => {
    const other = solana();
    const t = await gateOf(sandboxProvider(), other.provider);
    expect((await preview(t, { asset: 'SOL' })).json).toMatchObject({ asset: 'SOL', network: 'solana' });
    expect((await preview(t, { asset: 'ETH' })).status).toBe(200);
    expect((await preview(t, { currency: 'USD' })).status).toBe(200);
    expect(other.requests.map(({ targetToken }) => targetToken)).toEqual(['SOL']);
    expect((await preview(t, { asset: 'SOL', currency: 'USD' })).json['code']).toBe('corridor_not_supported');
  });

  it('is refused for its amount only if that is outside the limits of both', async () => {
    const t = await gateOf(sandboxProvider(), solana().provider);
    expect(await methodsOf(t, { amount: '20000' })).toEqual([
      ['card', true, '1.00'],
      ['crypto', true, '1.00'],
    ]);
    const refusing = solana(undefined, {
      quote: async () => ({ kind: 'refused', code: 'corridor_not_supported', message: 'Not this pair.' }),
    });
    const none = await gateOf(refusing.provider, sandboxProvider());
    expect((await preview(none, { amount: '20000', network: 'base' })).json['code']).toBe('amount_above_maximum');
  });

  it('shows the oldest rate and the earliest expiry', async () => {
    const t = await gateOf(sandboxProvider(), solana().provider);
    const now = t.clock.now('test');
    expect((await preview(t)).json).toMatchObject({
      rate_fetched_at: new Date(now - 5_000).toISOString(),
      expires_at: new Date(now + 60_000).toISOString(),
    });
  });

  it.each([
    ['source_total is not source_subtotal + fee_total', { sourceTotal: '100.01' }],
    ['fee_total is not the sum of the fees', { feeTotal: '2.00', sourceTotal: '101.00' }],
    ['a sum is no number', { sourceSubtotal: 'NaN' }],
  ])('leaves out a provider whose %s, and the operator is alerted', async (_, wrong) => {
    const t = await gateOf(solana(() => wrong).provider, sandboxProvider());
    expect(await methodsOf(t, { network: 'base' })).toEqual([
      ['card', true, '1.05'],
      ['bank_transfer', true, '1.05'],
    ]);
    expect(t.telemetry.failures.map(({ fields }) => fields['provider'])).toEqual(['solana']);
  });

  it('waits for none longer than the policy allows, and responds with 503 if none answered', async () => {
    const deadlines = testDeadlines();
    let asked = 0;
    const hung = solana(undefined, {
      quote: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    const both = await createTestGate({ ports: { providers: [hung.provider, sandboxProvider()], deadlines } });
    const answered = preview(both, { network: 'base' });
    await until(() => asked === 1 && deadlines.waiting.length === 1);
    expect(deadlines.waiting).toEqual([both.gate.policy.providerQuestionTimeout]);
    deadlines.expire();
    expect((await answered).json['quotes']).toHaveLength(2);
    const alone = await createTestGate({ ports: { providers: [hung.provider], deadlines } });
    const unanswered = preview(alone);
    await until(() => asked === 2 && deadlines.waiting.length === 1);
    deadlines.expire();
    expect(await unanswered).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
  });

  it('responds with 500 and no details if the only provider fails', async () => {
    const t = await gateOf(solana(undefined, { quote: () => Promise.reject(new Error('their secret')) }).provider);
    const answer = await preview(t);
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal_error' } });
    expect(answer.text).not.toContain('their secret');
  });
});

describe('an executable quote at two providers', () => {
  it('is from the first that can serve the method, which is remembered and never shown', async () => {
    const t = await gateOf(sandboxProvider(), solana().provider);
    const fixed = await fix(t, { country_code: 'FR' });
    expect(fixed).toMatchObject({ status: 201, json: { fee_total: '1.00', status: 'open' } });
    const id = String(fixed.json['id']);
    const stored = await t.store.find('document', { partnerId: t.partner.id, mode: 'test' }, 'quote', id);
    expect(JSON.parse(stored?.body ?? '{}')).toMatchObject({ provider: 'solana', providerQuoteId: 'theirs-card', id });
    expect(fixed.text).not.toMatch(/solana|theirs/);
  });

  it('is not given by one that cannot serve', async () => {
    const unable = solana(() => ({ available: false, unavailableReason: 'maintenance' }));
    const refused = await fix(await gateOf(unable.provider));
    expect(refused).toMatchObject({ status: 422, json: { code: 'corridor_not_supported' } });
    expect(refused.json['message']).toContain('maintenance');
  });

  it('is storable in every store, whatever its provider wrote', async () => {
    const odd = solana(() => ({ id: 'theirs\u0000\ud800' }));
    const t = await gateOf(odd.provider);
    const fixed = await fix(t);
    expect(fixed.status).toBe(201);
    const scope = { partnerId: t.partner.id, mode: 'test' as const };
    const stored = await t.store.find('document', scope, 'quote', String(fixed.json['id']));
    expect(JSON.parse(stored?.body ?? '{}')).toMatchObject({ providerQuoteId: 'theirs\ufffd\ufffd' });
  });
});
