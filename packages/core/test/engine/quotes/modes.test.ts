import { memorySandboxLedger, sandboxPools, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Scope } from '@gateramp/core';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { CARDS, WALLET } from '../checkout.js';

const CORRIDOR = { code: 'corridor_not_supported' };
const POOL = { id: 'pool_usdc_eur', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;

/** A gate whose live mode had a provider that was removed. */
async function closedForLive() {
  const ledger = memorySandboxLedger();
  const before = await createTestGate({
    ports: { providers: [sandboxProvider({ ledger })], pools: sandboxPools({ ledger }) },
  });
  const after = before.restart({
    providers: [sandboxProvider({ ledger, modes: ['test'] })],
    pools: sandboxPools({ ledger, modes: ['test'] }),
  });
  const live: Scope = { partnerId: before.partner.id, mode: 'live' };
  return { before, after, live };
}

function openLive(t: TestGate, body: object) {
  return t.request('POST', '/v1/embed/bootstrap', {
    mode: 'live',
    key: t.keys.publishable.live,
    headers: { origin: 'https://shop.example' },
    body,
  });
}

describe('a mode without a provider', () => {
  it('opens no checkout (maintenance), and accepts no quote, intent, payment over rails or trade', async () => {
    const { before, after, live } = await closedForLive();
    const session = (
      await before.gate.sessions.create(live, {
        amount: '100.00',
        currency: 'EUR',
        return_url: 'https://shop.example/',
      })
    )._unsafeUnwrap();
    const opened = await openLive(after, { clientSecret: session.client_secret });
    expect(opened.json).toMatchObject({
      available: false,
      unavailable_reason: 'maintenance',
      unavailable_detail: null,
    });
    expect((await openLive(after, {})).json['unavailable_reason']).toBe('maintenance');
    const headers = { 'x-embed-token': String(opened.json['embed_token']) };
    const asked = { flow: 'on_ramp', amount: '100.00', currency: 'EUR' };
    const quoted = await after.request('POST', '/v1/embed/quotes', { mode: 'live', headers, body: asked });
    expect(quoted).toMatchObject({ status: 422, json: CORRIDOR });
    const card = { card_number: CARDS.pays, expiry: '12/39', cvc: '123' };
    const attempt = { ...asked, payment_method: 'card', wallet_address: WALLET, payment_details: card };
    const begun = await after.request('POST', '/v1/embed/intents', { mode: 'live', headers, body: attempt });
    expect(begun).toMatchObject({ status: 422, json: CORRIDOR });
    expect((await after.gate.quotes.preview(live, ASK))._unsafeUnwrapErr()).toMatchObject(CORRIDOR);
    const executable = await before.gate.quotes.create(live, { ...ASK, payment_method: 'bank_transfer' });
    const over = { quote_id: executable._unsafeUnwrap().id, wallet_address: WALLET };
    expect((await after.gate.rails.payIns.create(live, over))._unsafeUnwrapErr()).toMatchObject(CORRIDOR);
    await before.gate.admin.savePool(live.partnerId, POOL);
    const asset = { side: 'on_ramp', asset: 'USDC', network: 'base', currency: 'EUR', amount: '100.00' } as const;
    const body = { ...asset, destAddress: WALLET };
    const priced = (await before.gate.pools.quote(live, POOL.id, body))._unsafeUnwrap();
    expect((await after.gate.pools.quote(live, POOL.id, body))._unsafeUnwrapErr()).toMatchObject(CORRIDOR);
    const order = { quoteId: priced.quoteId, destAddress: WALLET };
    const traded = await after.gate.pools.transact(live, POOL.id, order, { idempotencyKey: 'trade-1' });
    expect(traded._unsafeUnwrapErr()).toMatchObject(CORRIDOR);
    expect((await after.gate.capabilities.countries(live))._unsafeUnwrap().data).toEqual([]);
    expect((await openLive(before, { clientSecret: session.client_secret })).json['available']).toBe(true);
  });

  it('completes operations that began while it had one', async () => {
    const { before, after, live } = await closedForLive();
    const executable = await before.gate.quotes.create(live, { ...ASK, payment_method: 'bank_transfer' });
    const over = { quote_id: executable._unsafeUnwrap().id, wallet_address: WALLET };
    const payment = (await before.gate.rails.payIns.create(live, over))._unsafeUnwrap();
    const cancelled = await after.gate.rails.payIns.cancel(live, payment.id);
    expect(cancelled._unsafeUnwrap().status).toBe('cancelled');
  });

  it('does not affect the other mode', async () => {
    const { after } = await closedForLive();
    expect((await after.gate.quotes.preview({ partnerId: after.partner.id, mode: 'test' }, ASK)).isOk()).toBe(true);
  });
});
