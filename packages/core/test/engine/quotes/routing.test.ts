import { memorySandboxLedger, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { decimal, type Quote } from '@gateramp/core/domain';
import type { Provider } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, scopeOf, WALLET } from '../checkout.js';
import { until } from '../until.js';

/** A provider of these tests, as differences from the sandbox, with its own books. */
interface Habits {
  readonly currencies?: readonly string[];
  readonly flows?: readonly string[];
  /** Amount that its buyers receive, in percent of the sandbox's. */
  readonly gives?: string;
  readonly methods?: readonly string[];
  readonly changes?: Partial<Provider>;
}

function provider(name: string, { currencies, flows, gives = '100', methods, changes }: Habits = {}): Provider {
  const sandbox = sandboxProvider({ ledger: memorySandboxLedger(), callbackSecret: `${name}-callbacks` });
  const bent = (quote: Quote): Quote => ({
    ...quote,
    available: methods?.includes(quote.paymentMethod) ?? quote.available,
    unavailableReason: null,
    destination: {
      ...quote.destination,
      amount: decimal.toFixedDown(
        decimal.multiply(quote.destination.amount ?? '0', decimal.divideDown(gives, '100', 4)),
        6,
      ),
    },
  });
  return {
    ...sandbox,
    name,
    capabilities: async (scope) => {
      const served = await sandbox.capabilities(scope);
      return {
        ...served,
        flows: served.flows.filter((flow) => flows?.includes(flow) ?? true),
        currencies: served.currencies.filter(({ code }) => currencies?.includes(code) ?? true),
      };
    },
    quote: async (request) => {
      const answer = await sandbox.quote(request);
      return answer.kind === 'refused' ? answer : { ...answer, quotes: answer.quotes.map(bent) };
    },
    ...changes,
  };
}

/** A test gate whose sandbox is one of the given providers, if any is. */
function gateOf(...providers: readonly Provider[]): Promise<TestGate> {
  return createTestGate({ ports: { providers } });
}

const preview = (t: TestGate, body: object = {}) =>
  t.request('POST', '/v1/quotes/preview', {
    key: t.keys.secret.test,
    body: { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE', ...body },
  });

/** A buyer at the checkout of one session. */
async function buyer(t: TestGate, terms: { readonly currency?: string; readonly flow?: 'on_ramp' | 'off_ramp' } = {}) {
  const { currency = 'EUR', flow = 'on_ramp' } = terms;
  const created = await t.createSession({ currency });
  const headers = { 'x-embed-token': await t.embed(created) };
  const asked = { flow, amount: '100.00', currency };
  const attempt = {
    ...asked,
    wallet_address: WALLET,
    payment_method: 'card',
    payment_details: { card_number: CARDS.pays, expiry: '12/39', cvc: '123' },
  };
  return {
    id: created.id,
    quotes: (body: object = {}) => t.request('POST', '/v1/embed/quotes', { headers, body: { ...asked, ...body } }),
    begin: (body: object = {}) => t.request('POST', '/v1/embed/intents', { headers, body: { ...attempt, ...body } }),
    confirm: (intentId: string) =>
      t.request('POST', `/v1/embed/intents/${intentId}/confirm`, {
        headers,
        body: { action: 'payment_authentication', code: '000000' },
      }),
    providerOf: async (intentId: unknown) => (await t.store.find('intent', scopeOf(t), String(intentId)))?.provider,
  };
}

type Row = Readonly<Record<string, unknown>>;
const quoteFor = (json: Row, method = 'card'): Row =>
  (json['quotes'] as readonly Row[]).find((quote) => quote['payment_method'] === method) ?? {};

const away = () => Promise.reject(new Error('The provider is away.'));

describe('one rule of routing', () => {
  it('a market that only the second provider serves is previewed, quoted, attempted and simulated there', async () => {
    const euros = provider('euros', { currencies: ['EUR'], gives: '200' });
    const sandbox = sandboxProvider();
    const both = await createTestGate({ ports: { providers: [euros, sandbox], sandbox: sandbox.control } });
    expect((await preview(both, { currency: 'USD' })).status).toBe(200);
    const shop = await buyer(both, { currency: 'USD' });
    const quotes = await shop.quotes();
    expect(quotes.status).toBe(200);
    const begun = await shop.begin({ quote_id: quoteFor(quotes.json)['id'] });
    expect(begun).toMatchObject({ status: 201, json: { status: 'processing' } });
    expect(await shop.providerOf(begun.json['id'])).toBe('sandbox');
    const simulated = await both.request(
      'POST',
      `/v1/test_helpers/gate_sessions/${(await both.createSession({ currency: 'USD' })).id}/simulate`,
      { key: both.keys.secret.test, body: { scenario: 'succeed' } },
    );
    expect(simulated).toMatchObject({ status: 200, json: { status: 'succeeded' } });
  });

  it('a checkout shows the prices of a preview', async () => {
    const t = await gateOf(provider('dear', { gives: '90' }), provider('cheap', { gives: '110' }), provider('fair'));
    const previewed = quoteFor((await preview(t)).json);
    const quoted = quoteFor((await (await buyer(t)).quotes()).json);
    expect(quoted['destination']).toEqual(previewed['destination']);
    expect(previewed['destination']).toMatchObject({ amount: '118.309781' });
  });

  it('an attempt without a quote goes to the best available quote of its method', async () => {
    const cardless = provider('cardless', { gives: '120', methods: ['bank_transfer'] });
    const t = await gateOf(provider('dear', { gives: '90' }), provider('cheap', { gives: '110' }), cardless);
    const shop = await buyer(t);
    const begun = await shop.begin();
    expect(begun.status).toBe(201);
    expect(await shop.providerOf(begun.json['id'])).toBe('cheap');
  });

  it('a quote remembers its provider, under an id that does not reveal it', async () => {
    const started: (string | null)[] = [];
    const dear = provider('dear', { gives: '90' });
    const recorded: Provider = {
      ...dear,
      start: (order) => {
        started.push(order.intent.quoteId);
        return dear.start(order);
      },
    };
    const cheap = { gives: '110', methods: ['bank_transfer'] };
    const t = await gateOf(recorded, provider('cheap', cheap));
    const shop = await buyer(t);
    const { json, text } = await shop.quotes();
    expect(text).not.toMatch(/dear|cheap/);
    const id = String(quoteFor(json)['id']);
    const begun = await shop.begin({ quote_id: id });
    expect(begun).toMatchObject({ status: 201, json: { quote_id: id } });
    expect(await shop.providerOf(begun.json['id'])).toBe('dear');
    expect(started).toEqual([id.slice(id.indexOf('.') + 1)]);
    expect(started[0]).toMatch(/^quote_/);
  });

  it('a market that no single provider serves is refused everywhere', async () => {
    const t = await gateOf(
      provider('euros', { currencies: ['EUR'] }),
      provider('sales', { currencies: ['USD'], flows: ['off_ramp'] }),
    );
    const refusal = { status: 422, json: { code: 'corridor_not_supported' } };
    expect(await preview(t, { currency: 'USD' })).toMatchObject(refusal);
    const shop = await buyer(t, { currency: 'USD' });
    expect(await shop.quotes()).toMatchObject(refusal);
    expect(await shop.begin()).toMatchObject(refusal);
  });
});

describe('a provider that is down', () => {
  it('is skipped for quotes and attempts', async () => {
    for (const changes of [{ capabilities: away }, { quote: away }, { resolve: away }]) {
      const t = await gateOf(
        provider('down', { gives: '200', changes }),
        provider('up'),
        provider('third', { gives: '50' }),
      );
      const shop = await buyer(t);
      expect((await shop.quotes()).status).toBe(200);
      const begun = await shop.begin();
      expect(begun.status).toBe(201);
      expect(await shop.providerOf(begun.json['id'])).toBe('up');
    }
  });

  it('keeps its quote: the attempt is refused as an outage and changes nothing', async () => {
    const down: { changes: Partial<Provider> } = { changes: {} };
    const first = provider('first', { gives: '200' });
    const t = await gateOf(
      { ...first, resolve: (request) => (down.changes.resolve ?? first.resolve)(request) },
      provider('second'),
    );
    const shop = await buyer(t);
    const id = quoteFor((await shop.quotes()).json)['id'];
    down.changes = { resolve: away };
    expect((await shop.begin({ quote_id: id })).status).toBe(500);
    down.changes = {};
    const begun = await shop.begin({ quote_id: id });
    expect(await shop.providerOf(begun.json['id'])).toBe('first');
  });

  it('keeps its attempts, which do not change provider', async () => {
    const first = provider('first', { gives: '200' });
    const state = { isAway: false };
    const flaky: Provider = {
      ...first,
      capabilities: (scope) => (state.isAway ? away() : first.capabilities(scope)),
      quote: (request) => (state.isAway ? away() : first.quote(request)),
    };
    const t = await gateOf(flaky, provider('second'));
    const shop = await buyer(t);
    const details = { card_number: CARDS.asksForACode, expiry: '12/39', cvc: '123' };
    const begun = await shop.begin({ payment_details: details });
    state.isAway = true;
    for (let n = 0; n < t.gate.policy.providerErrorsMax; n += 1) await preview(t);
    const confirmed = await shop.confirm(String(begun.json['id']));
    expect(confirmed).toMatchObject({ status: 200, json: { status: 'processing' } });
    expect(await shop.providerOf(begun.json['id'])).toBe('first');
  });

  it('delays others by at most providerQuestionTimeout, and they respond', async () => {
    const deadlines = testDeadlines();
    const slow = provider('slow', { changes: { capabilities: () => new Promise(() => undefined) } });
    const t = await createTestGate({ ports: { providers: [slow, provider('up')], deadlines } });
    const answered = preview(t);
    await until(() => deadlines.waiting.length === 1);
    expect(deadlines.waiting).toEqual([t.gate.policy.providerQuestionTimeout]);
    deadlines.expire();
    expect((await answered).status).toBe(200);
  });
});

describe('a provider over its error budget', () => {
  /** Fails to quote while `isAway`, and counts its calls. */
  function failing() {
    const state = { isAway: true, asked: 0 };
    const good = provider('failing', { gives: '200' });
    const quote: Provider['quote'] = (request) => {
      state.asked += 1;
      return state.isAway ? away() : good.quote(request);
    };
    return { state, provider: { ...good, quote } };
  }

  it('is skipped after providerErrorsMax consecutive failures, with one alarm, and called again after providerSkippedFor', async () => {
    const { state, provider: bad } = failing();
    const t = await gateOf(bad, provider('up'));
    const { providerErrorsMax, providerSkippedFor } = t.gate.policy;
    for (let n = 0; n < providerErrorsMax + 3; n += 1) expect((await preview(t)).status).toBe(200);
    expect(state.asked).toBe(providerErrorsMax);
    expect(t.telemetry.alarms).toMatchObject([
      { name: 'provider_skipped', fields: { provider: 'failing', mode: 'test' } },
    ]);
    const shop = await buyer(t);
    const begun = await shop.begin();
    expect(await shop.providerOf(begun.json['id'])).toBe('up');
    await t.clock.advance(providerSkippedFor);
    await preview(t);
    expect(state.asked).toBe(providerErrorsMax + 1);
    await preview(t);
    expect(state.asked).toBe(providerErrorsMax + 1);
    await t.clock.advance(providerSkippedFor);
    state.isAway = false;
    expect(quoteFor((await preview(t)).json)['destination']).toMatchObject({ amount: '215.108694' });
    state.isAway = true;
    for (let n = 0; n < providerErrorsMax - 1; n += 1) await preview(t);
    state.isAway = false;
    expect(quoteFor((await preview(t)).json)['destination']).toMatchObject({ amount: '215.108694' });
    expect(t.telemetry.alarms).toHaveLength(1);
  });

  it('responds with 503 immediately if it is the only one', async () => {
    const { state, provider: bad } = failing();
    const t = await gateOf(bad);
    for (let n = 0; n < t.gate.policy.providerErrorsMax; n += 1) await preview(t);
    expect(await preview(t)).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
    expect(state.asked).toBe(t.gate.policy.providerErrorsMax);
  });

  it('counts failed starts, so that new attempts go to another', async () => {
    const first = provider('first', { gives: '200', changes: { start: away } });
    const t = await gateOf(first, provider('second'));
    for (let n = 0; n < t.gate.policy.providerErrorsMax; n += 1) {
      const shop = await buyer(t);
      expect(await shop.providerOf((await shop.begin()).json['id'])).toBe('first');
    }
    const shop = await buyer(t);
    expect(await shop.providerOf((await shop.begin()).json['id'])).toBe('second');
  });
});
