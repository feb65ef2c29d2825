import { sandboxProvider, type SandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Quote } from '@gateramp/core/domain';
import type { Provider } from '@gateramp/core/ports';
import { createTestGate, type TestGate, type TestGateOptions } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS } from '../checkout.js';
import { type Buyer, CARD, checkoutOf, idsOf, openShop, type SavingCheckout } from './buyers.js';

const SAVE = { ...CARD, save: true };

async function aShop(options: TestGateOptions = {}) {
  const t = await createTestGate(options);
  const ada: Buyer = { shop: await openShop(t, 'Acme'), mode: 'test', reference: 'ada' };
  return { t, ada, open: (changes: Partial<Buyer> = {}) => checkoutOf(t, { ...ada, ...changes }) };
}

describe('a card that a buyer has saved', () => {
  it("is listed in the buyer's next session, newest first, and can be used there without entering it", async () => {
    const { open } = await aShop();
    await (await open()).pay(SAVE);
    await (await open()).pay({ ...SAVE, expiry: '01/41' });
    const next = await open();
    const listed = await next.saved();
    expect(listed.json).toMatchObject({ object: 'list', has_more: false, url: '/v1/embed/payment_methods' });
    expect(listed.json['data']).toMatchObject([
      {
        object: 'saved_payment_method',
        type: 'card',
        brand: 'visa',
        last4: '4242',
        expiry_month: 1,
        expiry_year: 2041,
      },
      { expiry_month: 12, expiry_year: 2039, expired: false, cvc_required: false },
    ]);
    const paid = await next.pay({ saved_method: idsOf(listed)[1] });
    expect([paid.status, paid.json['status']]).toEqual([201, 'processing']);
  });

  it('is saved only with consent, and one card is listed once', async () => {
    const { open } = await aShop();
    await (await open()).pay(CARD);
    await (await open()).pay({ ...CARD, save: false });
    expect(idsOf(await (await open()).saved())).toEqual([]);
    await (await open()).pay(SAVE);
    const [id] = idsOf(await (await open()).saved());
    await (await open()).pay(SAVE);
    expect(idsOf(await (await open()).saved())).toEqual([id]);
  });

  it('must have paid: a declined card is not saved, and one that needs a code only after the right code', async () => {
    const { t, open, ada } = await aShop();
    await (await open()).pay({ ...SAVE, card_number: CARDS.declines });
    const asking = await open();
    const intent = await asking.pay({ ...SAVE, card_number: CARDS.asksForACode });
    expect(idsOf(await asking.saved())).toEqual([]);
    const body = { action: 'payment_authentication', code: '000000' };
    await asking.send('POST', `/v1/embed/intents/${String(intent.json['id'])}/confirm`, body);
    const listed = await (await checkoutOf(t, ada)).saved();
    expect(listed.json['data']).toMatchObject([{ last4: '3220', cvc_required: true }]);
  });

  it('requires its security code if the provider says so, and accepts no other members of a card', async () => {
    const { open } = await aShop();
    const first = await open();
    const intent = await first.pay({ ...SAVE, card_number: CARDS.asksForACode });
    const body = { action: 'payment_authentication', code: '000000' };
    await first.send('POST', `/v1/embed/intents/${String(intent.json['id'])}/confirm`, body);
    const next = await open();
    const [saved_method] = idsOf(await next.saved());
    expect(await next.pay({ saved_method })).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'payment_details.cvc', code: 'required' }] },
    });
    expect(await next.pay({ saved_method, cvc: '123', save: true })).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'payment_details.save', code: 'not_used' }] },
    });
    expect(await next.pay({ saved_method, cvc: '123' })).toMatchObject({
      status: 201,
      json: { status: 'requires_action' },
    });
  });

  it('is shown as expired after the last moment of its month, and then declined', async () => {
    const { t, open } = await aShop();
    await (await open()).pay({ ...SAVE, expiry: '01/30' });
    await t.clock.advance('30d');
    expect((await (await open()).saved()).json['data']).toMatchObject([{ expired: false }]);
    await t.clock.advance('1d');
    const late = await open();
    const listed = await late.saved();
    expect(listed.json['data']).toMatchObject([{ expired: true }]);
    expect((await late.pay({ saved_method: idsOf(listed)[0] })).json['failure']).toMatchObject({
      code: 'payment_declined',
    });
  });

  it('cannot be used once removed, and a repeat of the removal has the same response', async () => {
    const { open } = await aShop();
    await (await open()).pay(SAVE);
    const next = await open();
    const [id = ''] = idsOf(await next.saved());
    const removed = await next.remove(id, 'once');
    expect(removed.json).toEqual({ object: 'saved_payment_method', id, removed: true });
    expect((await next.remove(id, 'once')).text).toBe(removed.text);
    expect((await next.remove(id, 'again')).json['code']).toBe('payment_method_not_found');
    expect((await next.pay({ saved_method: id })).json['code']).toBe('payment_method_not_found');
    expect(idsOf(await next.saved())).toEqual([]);
  });

  it('is charged once per key, and declined if it was removed just before the provider was called', async () => {
    const sandbox = sandboxProvider();
    let isRemoving = false;
    const { open } = await aShop({
      ports: {
        providers: [
          {
            ...sandbox,
            start: async (order) => {
              const details = order.paymentDetails;
              if (isRemoving && details !== null && 'savedMethod' in details)
                await sandbox.forgetSavedMethod({ ...order, ...details, methodId: details.savedMethod });
              return sandbox.start(order);
            },
          },
        ],
      },
    });
    await (await open()).pay(SAVE);
    const next = await open();
    const [saved_method = ''] = idsOf(await next.saved());
    const first = await next.pay({ saved_method }, {}, 'once');
    expect((await next.pay({ saved_method }, {}, 'once')).text).toBe(first.text);
    isRemoving = true;
    const late = await (await open()).pay({ saved_method });
    expect([late.status, late.json['failure']]).toMatchObject([201, { code: 'payment_declined' }]);
  });

  it('is sent to the provider with an opaque customer id', async () => {
    const sandbox = sandboxProvider();
    const told: unknown[] = [];
    const { open } = await aShop({
      ports: {
        providers: [
          {
            ...sandbox,
            start: (order) => (told.push(order), sandbox.start(order)),
            listSavedMethods: (order) => (told.push(order), sandbox.listSavedMethods(order)),
            forgetSavedMethod: (order) => (told.push(order), sandbox.forgetSavedMethod(order)),
          },
        ],
      },
    });
    const reference = 'ada.lovelace@example.com';
    await (await open({ reference })).pay(SAVE);
    const next = await open({ reference });
    const [id = ''] = idsOf(await next.saved());
    await next.remove(id);
    expect(told).toHaveLength(3);
    expect(JSON.stringify(told)).not.toContain(reference);
    expect(JSON.stringify(told)).toMatch(/"saveFor":"[0-9a-f]{64}"/);
  });

  it('is in no row of the engine', async () => {
    const { t, open, ada } = await aShop();
    await (await open()).pay(SAVE);
    const next = await open();
    const [saved_method = ''] = idsOf(await next.saved());
    const paid = await next.pay({ saved_method });
    const [, own = ''] = saved_method.split('.');
    const scope = { partnerId: ada.shop.id, mode: 'test' } as const;
    const intent = await t.store.find('intent', scope, String(paid.json['id']));
    expect(intent?.status).toBe('processing');
    expect(JSON.stringify([intent, paid.json])).not.toContain(own);
  });
});

describe('nothing is saved or listed', () => {
  it.each([null, '', '  '])('for a session whose user_reference is %j: it names no one buyer', async (reference) => {
    const { open } = await aShop();
    const checkout = await open({ reference });
    expect(await checkout.pay(SAVE)).toMatchObject({
      status: 400,
      json: { code: 'validation_failed', errors: [{ field: 'payment_details.save', code: 'invalid' }] },
    });
    expect(idsOf(await checkout.saved())).toEqual([]);
    const { json } = await checkout.send('GET', '/v1/embed/session');
    expect(json['capabilities']).toMatchObject({ savable_payment_methods: [] });
  });

  it('in a session that has ended', async () => {
    const { open } = await aShop();
    await (await open()).pay(SAVE);
    const checkout = await open();
    const [id = ''] = idsOf(await checkout.saved());
    const { json } = await checkout.send('GET', '/v1/embed/session');
    expect(json['capabilities']).toMatchObject({ savable_payment_methods: ['card'] });
    await checkout.cancel();
    expect(idsOf(await checkout.saved())).toEqual([]);
    expect((await checkout.remove(id)).json['code']).toBe('payment_method_not_found');
  });

  it('if the provider stores none', async () => {
    const { listSavedMethods: _list, forgetSavedMethod: _forget, ...unable } = sandboxProvider();
    const { open } = await aShop({
      ports: {
        providers: [
          { ...unable, capabilities: async () => ({ ...(await sandboxProvider().capabilities(NOBODY)), savable: [] }) },
        ],
      },
    });
    const checkout = await open();
    expect(await checkout.pay(SAVE)).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'payment_details.save', code: 'invalid' }] },
    });
    expect(idsOf(await checkout.saved())).toEqual([]);
  });
});

it('a provider whose saved methods cannot be listed still takes payments', async () => {
  const sandbox = sandboxProvider();
  const away = () => Promise.reject(Object.assign(new Error('The vault is away.'), { outage: true }));
  const { open } = await aShop({ ports: { providers: [{ ...sandbox, listSavedMethods: away }] } });
  const checkout = await open();
  for (let times = 0; times < 6; times += 1) expect((await checkout.saved()).status).toBe(503);
  expect((await checkout.pay(CARD)).status).toBe(201);
});

/** The sandbox, which stores a card of Ada, next to a provider with a better rate. */
async function besideACheaperOne(changes: Partial<SandboxProvider> = {}) {
  const sandbox = sandboxProvider();
  const other = sandboxProvider();
  let isCheaperAway = true;
  const cheaper: Provider = {
    ...other,
    name: 'cheaper',
    quote: async (request) => {
      if (isCheaperAway) return { kind: 'refused', code: 'corridor_not_supported', message: 'Not now.' };
      const answer = await other.quote(request);
      return answer.kind === 'refused' ? answer : { ...answer, quotes: answer.quotes.map(halfAsMuchAgain) };
    },
  };
  const shop = await aShop({ ports: { providers: [cheaper, { ...sandbox, ...changes }] } });
  await (await shop.open()).pay(SAVE);
  isCheaperAway = false;
  return shop;
}

const halfAsMuchAgain = (quote: Quote): Quote => ({
  ...quote,
  destination: { ...quote.destination, amount: String(Number(quote.destination.amount) * 1.5) },
});

interface PricedMethod {
  readonly id: string;
  readonly payment_method: string;
  readonly saved_method: string | null;
  readonly provider: string | null;
  readonly destination: { readonly amount: string };
}

async function pricesOf({ send }: SavingCheckout, others: Readonly<Record<string, unknown>> = {}) {
  const asked = { flow: 'on_ramp', amount: '100.00', currency: 'EUR', ...others };
  const { status, json } = await send('POST', '/v1/embed/quotes', asked);
  expect(status).toBe(200);
  const quotes = json['quotes'] as readonly PricedMethod[];
  const of = (method: string): PricedMethod => {
    const found = quotes.find(({ payment_method }) => payment_method === method);
    if (found === undefined) throw new Error(`No price of ${method}.`);
    return found;
  };
  return { card: of('card'), transfer: of('bank_transfer'), methods: quotes.map((one) => one.payment_method) };
}

describe('next to a cheaper provider', () => {
  it('a buyer who intends to use a saved method sees the price of the provider that stores it, and pays it', async () => {
    const { t, open, ada } = await besideACheaperOne();
    const next = await open();
    const [saved_method] = idsOf(await next.saved());
    const best = await pricesOf(next);
    const own = await pricesOf(next, { saved_method });
    expect([best.card.saved_method, own.card.saved_method, own.transfer.saved_method]).toEqual([
      null,
      saved_method,
      null,
    ]);
    expect(Number(best.card.destination.amount)).toBeGreaterThan(Number(own.card.destination.amount));
    expect(own.transfer.destination).toEqual(best.transfer.destination);
    // The checkout chooses the first method until the buyer chooses one.
    expect([best.methods, own.methods]).toEqual([
      ['card', 'bank_transfer'],
      ['card', 'bank_transfer'],
    ]);

    const paid = await next.pay({ saved_method }, { quote_id: own.card.id });
    expect([paid.status, paid.json['status']]).toEqual([201, 'processing']);
    const { json } = await t.request('GET', `/v1/transactions/${String(paid.json['tx_refid'])}`, {
      key: ada.shop.test.secret,
    });
    expect(json['destination']).toMatchObject({ amount: own.card.destination.amount });
  });

  it('a saved method is refused with a quote of another provider', async () => {
    const { open } = await besideACheaperOne();
    const next = await open();
    const [saved_method] = idsOf(await next.saved());
    const { card } = await pricesOf(next);
    expect(await next.pay({ saved_method }, { quote_id: card.id })).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'payment_details.saved_method', code: 'invalid' }] },
    });
    expect((await next.pay({ saved_method })).status).toBe(201);
  });

  it("a buyer who intends to use a provider's component sees the price of that provider, and pays it", async () => {
    const { open } = await besideACheaperOne({
      capabilities: async () => ({ ...(await sandboxProvider().capabilities(NOBODY)), components: [COMPONENT] }),
    });
    const next = await open();
    const best = await pricesOf(next);
    const own = await pricesOf(next, { provider: 'sandbox' });
    expect([best.card.provider, own.card.provider, own.transfer.provider]).toEqual([null, 'sandbox', null]);
    expect(Number(best.card.destination.amount)).toBeGreaterThan(Number(own.card.destination.amount));
    expect(own.transfer.destination).toEqual(best.transfer.destination);
    expect((await pricesOf(next, { provider: 'cheaper' })).card.destination).toEqual(best.card.destination);
    expect((await pricesOf(next, { provider: 'nobody' })).card.destination).toEqual(best.card.destination);
    // A saved method takes precedence over components.
    const [saved_method] = idsOf(await next.saved());
    expect((await pricesOf(next, { provider: 'sandbox', saved_method })).card).toMatchObject({ saved_method });

    const wallet = { provider: 'sandbox', token: 'sandbox_pay' };
    expect(await next.pay(wallet, { quote_id: best.card.id })).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'payment_details.provider', code: 'invalid' }] },
    });
    expect((await next.pay(wallet, { quote_id: own.card.id })).status).toBe(201);
  });

  it('the best price is shown if the saved method is unknown, of another buyer, or cannot pay this order', async () => {
    const sandbox = sandboxProvider();
    let isFull = false;
    const { open } = await besideACheaperOne({
      quote: async (request) => {
        const answer = await sandbox.quote(request);
        if (answer.kind === 'refused' || !isFull) return answer;
        const quotes = answer.quotes.map((one) => ({ ...one, available: false, unavailableReason: 'maintenance' }));
        return { ...answer, quotes };
      },
    });
    const next = await open();
    const [saved_method = ''] = idsOf(await next.saved());
    const best = (await pricesOf(next)).card;
    const stranger = await open({ reference: 'bob' });
    for (const [checkout, id] of [
      [next, 'unknown'],
      [next, `${saved_method}0`],
      [stranger, saved_method],
    ] as const)
      expect((await pricesOf(checkout, { saved_method: id })).card).toMatchObject({
        saved_method: null,
        destination: best.destination,
      });
    isFull = true;
    expect((await pricesOf(next, { saved_method })).card).toMatchObject({
      saved_method: null,
      destination: best.destination,
    });
  });

  it('the best price is shown while the saved methods cannot be read', async () => {
    let isAway = false;
    const sandbox = sandboxProvider();
    const { open } = await besideACheaperOne({
      listSavedMethods: (order) =>
        isAway ? Promise.reject(new Error('The vault is away.')) : sandbox.listSavedMethods(order),
    });
    const next = await open();
    const [saved_method] = idsOf(await next.saved());
    isAway = true;
    expect((await pricesOf(next, { saved_method })).card.saved_method).toBeNull();
  });
});

const COMPONENT = {
  paymentMethod: 'card',
  provider: 'sandbox',
  wallet: 'sandbox_pay',
  token: 'sandbox_pay',
  frameUrl: 'https://provider.example/component',
} as const;

const NOBODY = { partnerId: '', mode: 'test' } as const;

describe('saved payment methods that are off for a partner', () => {
  const turn = async (t: TestGate, { shop }: Buyer, isOn: boolean | undefined) => {
    const partner = await t.gate.admin.findPartner(shop.id);
    if (partner === null) throw new Error('The partner is missing.');
    const { savedPaymentMethods: _, ...rest } = partner;
    await t.gate.admin.savePartner(isOn === undefined ? rest : { ...rest, savedPaymentMethods: isOn });
  };

  it.each([false, undefined])('refuse save, list and charge nothing, and offer nothing to save (%s)', async (off) => {
    const { t, ada, open } = await aShop();
    await (await open()).pay(SAVE);
    const [saved_method] = idsOf(await (await open()).saved());
    await turn(t, ada, off);
    const checkout = await open();
    expect(idsOf(await checkout.saved())).toEqual([]);
    expect((await checkout.pay({ saved_method })).json).toMatchObject({ code: 'payment_method_not_found' });
    expect((await checkout.remove(String(saved_method))).json).toMatchObject({ code: 'payment_method_not_found' });
    const refused = await checkout.pay(SAVE);
    expect([refused.status, refused.json['code'], refused.json['errors']]).toMatchObject([
      400,
      'validation_failed',
      [{ field: 'payment_details.save' }],
    ]);
    const scope = { partnerId: ada.shop.id, mode: 'test' } as const;
    const methods = (await t.gate.capabilities.paymentMethods(scope))._unsafeUnwrap().data;
    expect(methods.map(({ savable }) => savable)).not.toContain(true);
    expect(checkout.bootstrap).toMatchObject({ capabilities: { savable_payment_methods: [] } });
    expect((await checkout.pay(CARD)).status).toBe(201);

    await turn(t, ada, true);
    expect(idsOf(await (await open()).saved())).toEqual([saved_method]);
  });
});
