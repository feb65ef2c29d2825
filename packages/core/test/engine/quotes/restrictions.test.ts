import type { Restrictions } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, WALLET } from '../checkout.js';
import { bodyOf, create, quoteFor } from '../rails/rails.js';

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;

const restrictedTo = (restrictions: Restrictions) => createTestGate({ partner: { restrictions } });
const restrict = (t: TestGate, restrictions: Restrictions | null) =>
  t.gate.admin.savePartner({ ...t.partner, restrictions });

const list = async (t: TestGate, name: string) => {
  const { json } = await t.request('GET', `/v1/capabilities/${name}`, { key: t.keys.secret.test });
  return json['data'] as readonly Readonly<Record<string, unknown>>[];
};
const codes = async (t: TestGate, name: string) => (await list(t, name)).map(({ code }) => code);

const preview = (t: TestGate, body: object = {}) =>
  t.request('POST', '/v1/quotes/preview', { key: t.keys.secret.test, body: { ...ASK, ...body } });
const fix = (t: TestGate, body: object = {}) =>
  t.request('POST', '/v1/quotes', { key: t.keys.secret.test, body: { ...ASK, payment_method: 'card', ...body } });

const CARD = { card_number: CARDS.pays, expiry: '12/39', cvc: '123' };
const BUY = { flow: 'on_ramp', amount: '100.00', currency: 'EUR' } as const;

/** An open checkout of a session of 100.00 EUR. */
async function checkoutOf(t: TestGate, terms: object = {}) {
  const headers = { 'x-embed-token': await t.embed(await t.createSession(terms)) };
  return {
    quotes: (body: object = {}) => t.request('POST', '/v1/embed/quotes', { headers, body: { ...BUY, ...body } }),
    begin: (body: object = {}, idempotencyKey?: string) =>
      t.request('POST', '/v1/embed/intents', {
        headers,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        body: { ...BUY, payment_method: 'card', payment_details: CARD, wallet_address: WALLET, ...body },
      }),
  };
}

async function bootstrap(t: TestGate, terms: object, body: object = {}) {
  const { client_secret: clientSecret } = await t.createSession(terms);
  const opened = await t.request('POST', '/v1/embed/bootstrap', {
    key: t.keys.publishable.test,
    headers: { origin: 'https://shop.example' },
    body: { clientSecret, ...body },
  });
  return opened.json;
}

const refused = (code: string) => ({ status: 422, json: { error: { code } } });
const refusal = ({ status, json }: { readonly status: number; readonly json: unknown }) => {
  const { code, error } = json as { readonly code?: string; readonly error?: { readonly code: string } };
  return { status, json: { error: { code: error?.code ?? code } } };
};

describe('capabilities of a restricted partner', () => {
  it('list only what it may use', async () => {
    const t = await restrictedTo({
      flows: ['on_ramp', 'off_ramp'],
      paymentMethods: ['bank_transfer'],
      assets: ['USDC@base'],
      countries: ['DE'],
      limits: [{ currency: 'EUR', minAmount: '10.00', maxAmount: '500.00' }],
    });
    expect(await codes(t, 'flows')).toEqual(['on_ramp', 'off_ramp']);
    expect(await codes(t, 'payment_methods')).toEqual(['bank_transfer']);
    expect(await codes(t, 'assets')).toEqual(['USDC']);
    expect(await codes(t, 'networks')).toEqual(['base']);
    expect(await codes(t, 'countries')).toEqual(['DE']);
    const euros = (await list(t, 'limits')).filter(({ currency }) => currency === 'EUR');
    expect(euros).toMatchObject([
      { flow: 'on_ramp', payment_method: 'bank_transfer', min_amount: '10.00', max_amount: '500.00' },
      { flow: 'off_ramp', payment_method: 'bank_transfer', min_amount: '10.00', max_amount: '500.00' },
    ]);
  });

  it('are the same in process and over HTTP, and follow an operator who lifts the restrictions', async () => {
    const t = await restrictedTo({ countries: ['DE'] });
    const inProcess = await t.gate.capabilities.countries({ partnerId: t.partner.id, mode: 'test' });
    expect(inProcess._unsafeUnwrap().data.map(({ code }) => code)).toEqual(['DE']);
    await restrict(t, null);
    expect(await codes(t, 'countries')).toEqual(['DE', 'US']);
  });
});

describe('quotes of a restricted partner', () => {
  it('omit the methods that it may not use, in previews and checkouts', async () => {
    const t = await restrictedTo({ paymentMethods: ['bank_transfer'] });
    const previewed = (await preview(t)).json['quotes'];
    expect(previewed).toMatchObject([{ payment_method: 'bank_transfer', available: true }]);
    const { quotes } = await checkoutOf(t);
    expect((await quotes()).json['quotes']).toMatchObject([{ payment_method: 'bank_transfer', available: true }]);
    expect((await quotes({ payment_method: 'card' })).json['quotes']).toMatchObject([
      { payment_method: 'card', available: false, unavailable_reason: 'payment_method_not_supported' },
    ]);
    expect(refusal(await fix(t))).toEqual(refused('corridor_not_supported'));
    expect((await fix(t, { payment_method: 'bank_transfer' })).status).toBe(201);
  });

  it('are unavailable in a country that it may not sell to', async () => {
    const t = await restrictedTo({ countries: ['DE'] });
    const elsewhere = { available: false, unavailable_reason: 'region_unsupported' };
    expect((await preview(t, { country_code: 'US' })).json['quotes']).toMatchObject([elsewhere, elsewhere]);
    expect(refusal(await fix(t, { country_code: 'US' }))).toEqual(refused('corridor_not_supported'));
  });

  it('are refused for flows and assets that it may not use', async () => {
    const t = await restrictedTo({ flows: ['on_ramp'], assets: ['ETH'] });
    for (const body of [{ side: 'off_ramp', asset: 'ETH' }, { asset: 'USDC' }])
      expect(refusal(await preview(t, body)), JSON.stringify(body)).toEqual(refused('corridor_not_supported'));
    expect((await preview(t, { asset: 'ETH' })).status).toBe(200);
    const { quotes } = await checkoutOf(t);
    expect((await quotes()).json['quotes']).toMatchObject([
      { destination: { currency: 'ETH', network: 'ethereum' } },
      { destination: { currency: 'ETH', network: 'ethereum' } },
    ]);
  });

  it('show the narrower limits and are refused if every method is outside them', async () => {
    const t = await restrictedTo({
      limits: [
        { currency: 'EUR', maxAmount: '500.00' },
        { currency: 'EUR', paymentMethod: 'card', minAmount: '20.00', maxAmount: '50.00' },
      ],
    });
    expect((await preview(t)).json['quotes']).toMatchObject([
      {
        payment_method: 'card',
        available: false,
        unavailable_reason: 'amount_above_maximum',
        limits: { min_amount: '20.00', max_amount: '50.00', currency: 'EUR' },
      },
      { payment_method: 'bank_transfer', available: true, limits: { min_amount: '1.00', max_amount: '500.00' } },
    ]);
    expect(refusal(await preview(t, { amount: '500.01' }))).toEqual(refused('amount_above_maximum'));
    expect(refusal(await fix(t))).toEqual(refused('amount_above_maximum'));
  });
});

describe('a checkout of a restricted partner', () => {
  it.each([
    [{ flows: ['off_ramp'] }, {}, 'corridor_unsupported', { term: 'flow' }],
    [{ assets: ['ETH'] }, {}, 'corridor_unsupported', { term: 'target_token', value: 'USDC' }],
    [
      { limits: [{ currency: 'EUR', maxAmount: '50.00' }] },
      {},
      'corridor_unsupported',
      { term: 'amount', code: 'above_maximum', max_amount: '50.00' },
    ],
    [{ countries: ['DE'] }, { country_code: 'US' }, 'region_unsupported', { term: 'country_code', value: 'US' }],
  ] as const)('with %j is unavailable where they exclude its session', async (restrictions, body, reason, detail) => {
    const t = await restrictedTo(restrictions);
    expect(await bootstrap(t, { flow: 'on_ramp', target_token: 'USDC' }, body)).toMatchObject({
      available: false,
      unavailable_reason: reason,
      unavailable_detail: detail,
    });
  });

  it('offers the methods that the partner may use', async () => {
    const t = await restrictedTo({ paymentMethods: ['bank_transfer'], flows: ['on_ramp'] });
    expect(await bootstrap(t, {})).toMatchObject({
      available: true,
      capabilities: { flows: ['on_ramp'], payment_methods: ['bank_transfer'] },
    });
  });

  it.each([
    [{ flows: ['off_ramp'] }, 'corridor_not_supported'],
    [{ paymentMethods: ['bank_transfer'] }, 'corridor_not_supported'],
    [{ assets: ['ETH'] }, 'corridor_not_supported'],
    [{ countries: ['US'] }, 'corridor_not_supported'],
    [{ limits: [{ currency: 'EUR', minAmount: '100.01' }] }, 'amount_below_minimum'],
    [{ limits: [{ currency: 'EUR', maxAmount: '99.99' }] }, 'amount_above_maximum'],
  ] as const)('with %j refuses an attempt that they exclude, also over an older quote', async (restrictions, code) => {
    const t = await createTestGate();
    const { quotes, begin } = await checkoutOf(t);
    const terms = { target_token: 'USDC', target_network: 'base', country_code: 'DE' };
    const quoted = await quotes({ ...terms, payment_method: 'card' });
    const [quote] = quoted.json['quotes'] as readonly { readonly id: string }[];
    await restrict(t, restrictions);
    expect(refusal(await begin(terms))).toEqual(refused(code));
    expect(refusal(await begin({ ...terms, quote_id: quote?.id }))).toEqual(refused(code));
    await restrict(t, null);
    expect((await begin({ ...terms, quote_id: quote?.id })).status).toBe(201);
  });

  it('fills open terms with values that the partner may use', async () => {
    const t = await restrictedTo({ paymentMethods: ['bank_transfer'], assets: ['ETH'] });
    const { begin } = await checkoutOf(t);
    const begun = await begin({ payment_method: null, payment_details: null });
    expect(begun.json).toMatchObject({
      payment_method: 'bank_transfer',
      target_token: 'ETH',
      target_network: 'ethereum',
      next_action: { type: 'bank_transfer' },
    });
  });

  it('replays an attempt that was made before the restrictions, and completes it', async () => {
    const t = await createTestGate();
    const { begin } = await checkoutOf(t);
    const first = await begin({}, 'restricted-later');
    await restrict(t, { flows: ['off_ramp'] });
    expect((await begin({}, 'restricted-later')).text).toBe(first.text);
    await t.settle(String(first.json['session_id']));
    expect((await t.retrieveSession(String(first.json['session_id']))).status).toBe('completed');
  });

  it('is simulated with a method that the partner may use', async () => {
    const t = await restrictedTo({ paymentMethods: ['bank_transfer'] });
    const { id } = await t.createSession({ flow: 'on_ramp' });
    await t.settle(id);
    expect((await t.retrieveSession(id)).status).toBe('completed');
  });
});

describe('rails of a restricted partner', () => {
  it.each([
    ['pay_in', { flows: ['off_ramp'] }],
    ['pay_in', { assets: ['ETH'] }],
    ['pay_out', { paymentMethods: ['card'] }],
    ['pay_out', { countries: ['US'] }],
  ] as const)('refuse a %s over a quote that is older than %j', async (kind, restrictions) => {
    const t = await createTestGate();
    const body = bodyOf(kind, await quoteFor(t, kind));
    await restrict(t, restrictions);
    expect(refusal(await create(t, kind, body))).toEqual(refused('corridor_not_supported'));
    await restrict(t, null);
    expect((await create(t, kind, body)).status).toBe(201);
  });
});

describe('pools of a restricted partner', () => {
  const POOL = { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  const ASKED = {
    side: 'on_ramp',
    asset: 'USDC',
    network: 'base',
    amount: '100.00',
    currency: 'EUR',
    destAddress: WALLET,
  };

  async function poolsGate(restrictions: Restrictions | null) {
    const t = await createTestGate({ partner: { restrictions } });
    await t.gate.admin.savePool(t.partner.id, POOL);
    for (const currency of ['USDC', 'EUR'])
      await t.gate.admin.movePoolBalance(t.partner.id, {
        poolId: POOL.id,
        currency,
        amount: '10000',
        reference: `open-${currency}`,
      });
    const call = (method: string, path: string, body?: object) =>
      t.request(method, `/v1/pools${path}`, {
        key: path === '' ? t.keys.publishable.live : t.keys.secret.live,
        product: 'pools',
        ...(body === undefined ? {} : { body, idempotencyKey: `pools-${path}-${JSON.stringify(body).length}` }),
      });
    return { t, call };
  }

  it.each([{ assets: ['ETH'] }, { flows: ['off_ramp'] }] as const)(
    'are not listed, and neither priced nor traded, with %j',
    async (restrictions) => {
      const { t, call } = await poolsGate(null);
      const quoted = await call('POST', `/${POOL.id}/quote`, ASKED);
      await restrict(t, restrictions);
      expect((await call('GET', '')).json['data']).toEqual([]);
      expect(refusal(await call('POST', `/${POOL.id}/quote`, { ...ASKED, amount: '50.00' }))).toEqual(
        refused('corridor_not_supported'),
      );
      const trade = { quoteId: quoted.json['quoteId'], destAddress: WALLET };
      expect(refusal(await call('POST', `/${POOL.id}/transact`, trade))).toEqual(refused('corridor_not_supported'));
    },
  );

  it('respect the limits of the partner', async () => {
    const { call } = await poolsGate({ limits: [{ currency: 'EUR', minAmount: '10.00', maxAmount: '99.00' }] });
    expect((await call('GET', '')).json['data']).toMatchObject([{ poolId: POOL.id }]);
    expect(refusal(await call('POST', `/${POOL.id}/quote`, ASKED))).toEqual(refused('amount_above_maximum'));
    expect(refusal(await call('POST', `/${POOL.id}/quote`, { ...ASKED, amount: '9.00' }))).toEqual(
      refused('amount_below_minimum'),
    );
  });
});
