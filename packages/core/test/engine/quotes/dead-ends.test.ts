import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, WALLET } from '../checkout.js';

interface Opened {
  readonly json: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a session over HTTP, as a partner's server does, and opens its checkout. */
async function open(t: TestGate, terms: object, body: object = {}): Promise<Opened> {
  const created = await t.request('POST', '/v1/gate_sessions', {
    key: t.keys.secret.test,
    idempotencyKey: JSON.stringify(terms).replaceAll(/[^a-z0-9.]/gi, '-') + String(Math.random()),
    body: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done', ...terms },
  });
  expect(created.status).toBe(201);
  return bootstrap(t, { clientSecret: created.json['client_secret'], ...body });
}

async function bootstrap(t: TestGate, body: object): Promise<Opened> {
  const { json, status } = await t.request('POST', '/v1/embed/bootstrap', {
    key: t.keys.publishable.test,
    headers: { origin: 'https://shop.example' },
    body,
  });
  expect(status).toBe(200);
  return { json, headers: { 'x-embed-token': String(json['embed_token']) } };
}

const attemptOf = (terms: object) => ({
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  payment_method: 'card',
  wallet_address: WALLET,
  payment_details: { card_number: CARDS.pays, expiry: '12/39', cvc: '123' },
  ...terms,
});

const away = () => Promise.reject(new Error('The provider is away.'));

describe('a session that no provider serves', () => {
  it.each([
    [{ currency: 'GBP' }, { term: 'currency', code: 'not_served', value: 'GBP' }],
    [{ target_token: 'DOGE' }, { term: 'target_token', code: 'not_served', value: 'DOGE' }],
    [
      { flow: 'on_ramp', target_network: 'solana' },
      { term: 'target_network', code: 'not_served', value: 'solana' },
    ],
    [{ amount: '77.123456' }, { term: 'amount', code: 'too_many_decimals', value: '77.123456', decimals: 2 }],
    [{ amount: '0.50' }, { term: 'amount', code: 'below_minimum', min_amount: '1.00', max_amount: '10000.00' }],
    [{ amount: '10000.01' }, { term: 'amount', code: 'above_maximum', min_amount: '1.00', max_amount: '10000.00' }],
  ])('%j is corridor_unsupported at bootstrap, and quotes and intents answer 422', async (terms, detail) => {
    const t = await createTestGate();
    // An off-ramp has no target, so a session open to all flows could still be sold.
    const locked = 'target_token' in terms ? { flow: 'on_ramp', ...terms } : terms;
    const { json, headers } = await open(t, locked);
    expect(json).toMatchObject({
      available: false,
      unavailable_reason: 'corridor_unsupported',
      unavailable_detail: { currency: 'GBP', ...('currency' in terms ? {} : { currency: 'EUR' }), ...detail },
    });
    const { flow: _, ...asked } = { flow: null, ...terms };
    const quoted = await t.request('POST', '/v1/embed/quotes', {
      headers,
      body: { flow: 'on_ramp', amount: '100.00', currency: 'EUR', ...asked },
    });
    expect(quoted.status).toBe(422);
    const begun = await t.request('POST', '/v1/embed/intents', { headers, body: attemptOf(asked) });
    expect(begun.status).toBe(422);
  });

  it('shows the limit of the closest provider', async () => {
    const sandbox = sandboxProvider();
    const larger: Provider = {
      ...sandbox,
      name: 'larger',
      capabilities: async (scope) => {
        const served = await sandbox.capabilities(scope);
        return { ...served, limits: served.limits.map((limit) => ({ ...limit, maxAmount: '50000' })) };
      },
    };
    const t = await createTestGate({ ports: { providers: [sandbox, larger] } });
    const { json } = await open(t, { amount: '60000' });
    expect(json['unavailable_detail']).toMatchObject({ code: 'above_maximum', max_amount: '50000' });
    expect((await open(t, { amount: '20000' })).json['available']).toBe(true);
  });

  it('offers only the flows that serve it', async () => {
    const t = await createTestGate();
    const { json } = await open(t, { target_token: 'DOGE' });
    expect(json).toMatchObject({ available: true, unavailable_detail: null, capabilities: { flows: ['off_ramp'] } });
  });

  it('is served if its amount has valid decimals by value, whatever trailing zeros it has', async () => {
    const t = await createTestGate();
    expect((await open(t, { amount: '100.00000000' })).json['available']).toBe(true);
  });
});

describe('the country of the buyer', () => {
  it('is region_unsupported if no provider serves it, with or without a session', async () => {
    const t = await createTestGate();
    const unsupported = { available: false, unavailable_reason: 'region_unsupported' };
    const detail = { unavailable_detail: { term: 'country_code', code: 'not_served', value: 'KP' } };
    expect((await open(t, {}, { country_code: 'kp' })).json).toMatchObject({ ...unsupported, ...detail });
    expect((await bootstrap(t, { country_code: 'KP' })).json).toMatchObject({ ...unsupported, ...detail });
    expect((await open(t, {}, { country_code: 'de' })).json['available']).toBe(true);
    expect((await bootstrap(t, {})).json['available']).toBe(true);
  });

  it('that is not a country code is 400', async () => {
    const t = await createTestGate();
    const body = { country_code: 'Germany' };
    const answer = await t.request('POST', '/v1/embed/bootstrap', {
      key: t.keys.publishable.test,
      headers: { origin: 'https://shop.example' },
      body,
    });
    expect(answer).toMatchObject({ status: 400, json: { code: 'validation_failed' } });
  });
});

describe('providers that are down', () => {
  it('are maintenance only while they might serve the checkout', async () => {
    const sandbox = sandboxProvider();
    const state = { isAway: true };
    const flaky: Provider = {
      ...sandbox,
      capabilities: (scope) => (state.isAway ? away() : sandbox.capabilities(scope)),
    };
    const t = await createTestGate({ ports: { providers: [flaky] } });
    const maintenance = { available: false, unavailable_reason: 'maintenance', unavailable_detail: null };
    expect((await open(t, {})).json).toMatchObject(maintenance);
    expect((await bootstrap(t, {})).json).toMatchObject(maintenance);
    state.isAway = false;
    expect((await open(t, {})).json['available']).toBe(true);
    const second = await createTestGate({
      ports: { providers: [{ ...flaky, capabilities: away, name: 'other' }, sandbox] },
    });
    expect((await open(second, {})).json['available']).toBe(true);
    expect((await open(second, { currency: 'GBP' })).json).toMatchObject(maintenance);
  });

  it('are tried again after they answered that something is unavailable, which names it and is no error', async () => {
    const sandbox = sandboxProvider();
    const message = 'USDC on base cannot be delivered at the moment.';
    const refused = { kind: 'refused', code: 'service_unavailable', message } as const;
    const closed: Provider = {
      ...sandbox,
      quote: async (request) => (request.targetToken === 'USDC' ? refused : sandbox.quote(request)),
      resolve: async (request) => (request.targetToken === 'USDC' ? refused : sandbox.resolve(request)),
    };
    const t = await createTestGate({ ports: { providers: [closed] } });
    const preview = (asset: string, gate = t) =>
      gate.request('POST', '/v1/quotes/preview', {
        key: gate.keys.secret.test,
        body: { currency: 'EUR', asset, amount: '100.00', side: 'on_ramp', country_code: 'DE' },
      });
    for (let n = 0; n < t.gate.policy.providerErrorsMax + 1; n += 1)
      expect(await preview('USDC')).toMatchObject({ status: 503, json: { code: 'service_unavailable', message } });
    expect((await preview('ETH')).status).toBe(200);
    expect([...t.telemetry.alarms, ...t.telemetry.failures]).toEqual([]);
    const both = await createTestGate({ ports: { providers: [closed, { ...sandbox, name: 'other' }] } });
    expect((await preview('USDC', both)).status).toBe(200);
  });

  it('are maintenance only for what they list as unavailable', async () => {
    const sandbox = sandboxProvider();
    const unavailable = { flow: 'on_ramp', side: 'target', asset: 'USDC', network: 'base', currency: 'EUR' } as const;
    const partial: Provider = {
      ...sandbox,
      capabilities: async (scope) => ({
        ...(await sandbox.capabilities(scope)),
        unavailable: [unavailable],
        isPartial: true,
      }),
    };
    const t = await createTestGate({ ports: { providers: [partial] } });
    const usdc = { flow: 'on_ramp', currency: 'EUR', target_token: 'USDC', target_network: 'base' };
    expect((await open(t, usdc)).json).toMatchObject({ available: false, unavailable_reason: 'maintenance' });
    expect((await open(t, { ...usdc, target_network: 'ethereum' })).json['available']).toBe(true);
    expect((await open(t, { ...usdc, flow: null })).json['available']).toBe(true);
    expect((await open(t, { ...usdc, currency: 'GBP' })).json['unavailable_reason']).toBe('corridor_unsupported');
    expect((await open(t, { ...usdc, target_token: 'DOGE' })).json['unavailable_reason']).toBe('corridor_unsupported');
    const body = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' };
    const preview = (network: string | null) =>
      t.request('POST', '/v1/quotes/preview', { key: t.keys.secret.test, body: { ...body, network } });
    expect((await preview('base')).json).toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('USDC on base'),
    });
    expect((await preview(null)).json).toMatchObject({ network: 'ethereum' });
    const { json } = await t.request('GET', '/v1/capabilities/assets', { key: t.keys.secret.test });
    expect(json['data']).toMatchObject([
      { code: 'USDC', unavailable: [{ flow: 'on_ramp', used_as: 'target', network: 'base', currency: 'EUR' }] },
      { code: 'ETH', unavailable: [] },
    ]);
  });

  it('are maintenance while over their error budget', async () => {
    const sandbox = sandboxProvider();
    const t = await createTestGate({ ports: { providers: [{ ...sandbox, quote: away }] } });
    for (let n = 0; n < t.gate.policy.providerErrorsMax; n += 1)
      await t.request('POST', '/v1/quotes/preview', {
        key: t.keys.secret.test,
        body: { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' },
      });
    expect((await open(t, {})).json['unavailable_reason']).toBe('maintenance');
    await t.clock.advance(t.gate.policy.providerSkippedFor);
    expect((await open(t, {})).json['available']).toBe(true);
  });

  it('do not close a checkout with a live attempt', async () => {
    const sandbox = sandboxProvider();
    const state = { isAway: false };
    const flaky: Provider = {
      ...sandbox,
      capabilities: (scope) => (state.isAway ? away() : sandbox.capabilities(scope)),
    };
    const t = await createTestGate({ ports: { providers: [flaky] } });
    const created = await t.createSession();
    const { headers } = await bootstrap(t, { clientSecret: created.client_secret });
    expect((await t.request('POST', '/v1/embed/intents', { headers, body: attemptOf({}) })).status).toBe(201);
    state.isAway = true;
    expect((await bootstrap(t, { clientSecret: created.client_secret })).json['available']).toBe(true);
  });
});
