import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';

const ASK = { currency: 'eur', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;
const BODY = { ...ASK, payment_method: 'bank_transfer' } as const;

const callerOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;
const get = async (t: TestGate, path: string) => (await t.request('GET', path, { key: t.keys.secret.test })).json;

describe('gate.quotes', () => {
  it('previews the same as HTTP, except for the ids', async () => {
    const t = await createTestGate();
    const preview = (await t.gate.quotes.preview(callerOf(t), ASK))._unsafeUnwrap();
    const { json } = await t.request('POST', '/v1/quotes/preview', { key: t.keys.secret.test, body: ASK });
    const without = (quotes: unknown) => JSON.stringify(quotes).replace(/preview_[0-9a-f]{24}/g, '');
    expect(preview.currency).toBe('EUR');
    expect(without(preview)).toEqual(without(json));
  });

  it('creates a quote that HTTP retrieves, and retrieves one that HTTP has created', async () => {
    const t = await createTestGate();
    const fixed = (await t.gate.quotes.create(callerOf(t), BODY))._unsafeUnwrap();
    expect(await get(t, `/v1/quotes/${fixed.id}`)).toEqual(fixed);
    const { json } = await t.request('POST', '/v1/quotes', { key: t.keys.secret.test, body: BODY });
    expect((await t.gate.quotes.retrieve(callerOf(t), String(json['id'])))._unsafeUnwrap()).toEqual(json);
  });

  it('returns the same quote to a repeat with the same key, and a mismatch to another body', async () => {
    const t = await createTestGate();
    const create = (amount: string) =>
      t.gate.quotes.create(callerOf(t), { ...BODY, amount }, { idempotencyKey: 'quote-1' });
    const first = await create('100.00');
    expect(first.isOk()).toBe(true);
    expect(await create('100.00')).toEqual(first);
    expect((await create('7.00'))._unsafeUnwrapErr().code).toBe('idempotency_key_mismatch');
  });

  it('refuses what HTTP refuses: fields, markets, ids, and missing entitlements', async () => {
    const t = await createTestGate({ partner: { entitlements: ['rails'] } });
    const caller = callerOf(t);
    const { quotes } = t.gate;
    const wrong = (await quotes.preview(caller, { ...ASK, amount: '0' }))._unsafeUnwrapErr();
    expect(wrong).toMatchObject({ code: 'validation_failed', fields: [{ field: 'amount', code: 'not_positive' }] });
    const swap = { ...ASK, side: 'swap', source_asset: 'ETH' } as const;
    expect((await quotes.preview(caller, swap))._unsafeUnwrapErr().code).toBe('swap_not_enabled');
    expect((await quotes.create(caller, { ...BODY, asset: 'DOGE' }))._unsafeUnwrapErr().code).toBe(
      'corridor_not_supported',
    );
    for (const id of ['0'.repeat(24), 'a\u0000'])
      expect((await quotes.retrieve(caller, id))._unsafeUnwrapErr().code).toBe('quote_not_found');
    await t.gate.admin.savePartner({ ...t.partner, entitlements: [] });
    expect((await quotes.create(caller, BODY))._unsafeUnwrapErr().code).toBe('rails_api_not_enabled');
    expect((await quotes.retrieve(caller, '0'.repeat(24)))._unsafeUnwrapErr().code).toBe('rails_api_not_enabled');
  });

  it('throws for an unknown partner, which is an error of the host', async () => {
    const t = await createTestGate();
    const nobody = { partnerId: 'nobody', mode: 'test' } as const;
    await expect(t.gate.quotes.preview(nobody, ASK)).rejects.toThrow('No such partner');
    await expect(t.gate.capabilities.flows(nobody)).rejects.toThrow('No such partner');
  });
});

describe('gate.capabilities', () => {
  it('lists the same as HTTP', async () => {
    const t = await createTestGate({ partner: { entitlements: [] } });
    const { countries, currencies, assets, networks, paymentMethods, flows, limits, ttls } = t.gate.capabilities;
    const lists = { countries, currencies, assets, networks, payment_methods: paymentMethods, flows, limits, ttls };
    for (const [name, list] of Object.entries(lists))
      expect((await list(callerOf(t)))._unsafeUnwrap(), name).toEqual(await get(t, `/v1/capabilities/${name}`));
    const served = (await flows(callerOf(t)))._unsafeUnwrap().data;
    expect(served.find(({ code }) => code === 'swap')?.enabled).toBe(false);
  });
});
