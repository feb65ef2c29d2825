import { describe, expect, it } from 'vitest';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { Gate, Page, type GateSession, type WebhookEvent } from '../src/index.js';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

interface World {
  readonly gate: Gate;
  readonly live: Gate;
  order(reference?: string): Promise<GateSession>;
}

async function world(): Promise<World> {
  const { origins, returnUrl } = await startReferenceServer();
  const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox });
  const order = (reference = 'order'): Promise<GateSession> =>
    gate.gateSessions.create(
      { amount: '100.00', currency: 'EUR', return_url: returnUrl, target_token: 'USDC', target_network: 'base' },
      { extraBody: { user_reference: reference, flow: 'on_ramp' } },
    );
  const live = new Gate(TEST_PARTNER.liveSecretKey, { baseUrl: origins.live, poolsBaseUrl: origins.pools });
  return { gate, live, order };
}

describe('sessions', () => {
  it('are bought from, with what extraBody said, and leave a transaction, events and a timeline', async () => {
    const { gate, order } = await world();
    const session = await order('order-7');
    expect(session).toMatchObject({ user_reference: 'order-7', flow: 'on_ramp' });
    const intent = await gate.testHelpers.simulate(session.id, 'succeed');
    await gate.testHelpers.advanceClock(120);
    const completed = await gate.gateSessions.retrieve(session.id);
    expect(completed.status).toBe('completed');

    const transaction = await gate.transactions.retrieve(intent.tx_refid);
    expect(transaction).toMatchObject({ session_id: session.id, status: 'completed' });
    const { data } = await gate.transactions.list({ session_id: session.id });
    expect(data.map(({ refid }) => refid)).toEqual([intent.tx_refid]);

    const events: WebhookEvent[] = [];
    for await (const event of gate.events.list({ session_id: session.id })) events.push(event);
    const [newest] = events;
    if (newest?.type !== 'gate_session.completed') return expect.unreachable();
    expect(newest.data.tx_refid).toBe(intent.tx_refid);
    expect(await gate.events.retrieve(newest.id)).toEqual(newest);
    const { data: timeline } = await gate.gateSessions.timeline(session.id);
    expect(timeline.length).toBeGreaterThan(3);
  });

  it('and every answer can be had whole', async () => {
    const { order, gate } = await world();
    const { id } = await order();
    const { data, response, requestId } = await gate.gateSessions.retrieve(id).withResponse();
    expect(data.id).toBe(id);
    expect(response.status).toBe(200);
    expect(requestId).toBe(response.headers.get('x-request-id'));
    const listed = await gate.gateSessions.list().withResponse();
    expect(listed.data.data.map((session) => session.id)).toEqual([id]);
  });
});

describe('a list', () => {
  it('is a page, pages, or all of its items, in both directions', async () => {
    const { gate, order } = await world();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await order(`order-${n}`)).id);
    const newestFirst = [...made].reverse();

    const page = await gate.gateSessions.list({ limit: 2 });
    expect(page).toBeInstanceOf(Page);
    expect(page).toMatchObject({ object: 'list', has_more: true, url: '/v1/gate_sessions' });
    expect(page.data.map(({ id }) => id)).toEqual(newestFirst.slice(0, 2));
    const second = await page.nextPage();
    expect(second?.data.map(({ id }) => id)).toEqual(newestFirst.slice(2, 4));
    expect(await (await second?.nextPage())?.nextPage()).toBe(null);

    expect(await ids(gate.gateSessions.list({ limit: 2 }))).toEqual(newestFirst);
    const [first = ''] = made;
    expect(await ids(gate.gateSessions.list({ limit: 2, ending_before: first }))).toEqual(made.slice(1));
    expect(await ids(gate.gateSessions.list({ limit: 2, user_reference: 'order-3' }))).toEqual([made[3]]);
  });

  it('rejects like a call when it is walked over', async () => {
    const { gate } = await world();
    await expect(ids(gate.gateSessions.list({ limit: 1000 }))).rejects.toMatchObject({ code: 'validation_failed' });
  });

  const ids = async (list: AsyncIterable<GateSession>): Promise<string[]> => {
    const found: string[] = [];
    for await (const { id } of list) found.push(id);
    return found;
  };
});

describe('every resource', () => {
  it('capabilities', async () => {
    const { capabilities } = (await world()).gate;
    const lists = [
      capabilities.countries(),
      capabilities.currencies(),
      capabilities.assets(),
      capabilities.networks(),
      capabilities.paymentMethods(),
      capabilities.flows(),
      capabilities.limits(),
      capabilities.ttls(),
    ];
    const objects = (await Promise.all(lists)).map(({ data }) => data[0]?.object);
    expect(objects).toEqual(['country', 'currency', 'asset', 'network', 'payment_method', 'flow', 'limit', 'ttl']);
  });

  it('quotes and rails', async () => {
    const { gate } = await world();
    const asked = { side: 'on_ramp', currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE' };
    const preview = await gate.quotes.preview(asked);
    expect(preview.quotes.length).toBeGreaterThan(0);
    const quote = await gate.quotes.create({ ...asked, payment_method: 'bank_transfer' });
    expect(await gate.quotes.retrieve(quote.id)).toMatchObject({ id: quote.id, status: 'open' });
    const { payIns } = gate.rails;
    const payIn = await payIns.create({ quote_id: quote.id, wallet_address: WALLET });
    expect(payIn).toMatchObject({ object: 'pay_in', status: 'requires_action' });
    expect((await payIns.list()).data.map(({ id }) => id)).toEqual([payIn.id]);
    expect(await payIns.cancel(payIn.id)).toMatchObject({ status: 'cancelled' });
    expect(await payIns.retrieve(payIn.id)).toMatchObject({ status: 'cancelled' });

    const off = await gate.quotes.create({ ...asked, side: 'off_ramp', payment_method: 'bank_transfer' });
    const beneficiary = { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' } as const;
    const payOut = await gate.rails.payOuts.create({ quote_id: off.id, beneficiary, refund_address: WALLET });
    expect(await gate.testHelpers.simulateRails(payOut.id, 'processing')).toMatchObject({ status: 'processing' });
  });

  it('branding', async () => {
    const { gate } = await world();
    expect(await gate.branding.update({ display_name: 'Acme' })).toMatchObject({ display_name: 'Acme' });
    expect(await gate.branding.retrieve()).toMatchObject({ display_name: 'Acme', theme: null });
  });

  it('webhooks and deliveries', async () => {
    const { gate } = await world();
    for (const call of [gate.webhooks.test(), gate.webhooks.deliveries.replayAll({ limit: 5 })])
      await expect(call).rejects.toMatchObject({ code: 'webhook_url_not_configured' });
    expect(await gate.webhooks.endpoint()).toMatchObject({ status: 'not_configured' });
    const rotated = await gate.webhooks.rotateSecret({ grace_period_seconds: 60 });
    expect(rotated.secret).toMatch(/^whsec_/);
    expect((await gate.webhooks.deliveries.list()).data).toEqual([]);
    const unknown = '68a1f0c2b7e94d1f3a5c7e90';
    for (const call of [gate.webhooks.deliveries.retrieve(unknown), gate.webhooks.deliveries.replay(unknown)])
      await expect(call).rejects.toMatchObject({ name: 'NotFoundError', code: 'delivery_not_found' });
  });

  it('pools', async () => {
    const { live } = await world();
    const { poolId } = TEST_PARTNER;
    expect((await live.pools.list()).data).toMatchObject([{ poolId }]);
    const ask = {
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      amount: '10.00',
      currency: 'EUR',
      destAddress: WALLET,
    };
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { quoteId } = await live.pools.quote(poolId, ask);
      made.push((await live.pools.transact(poolId, { quoteId, destAddress: WALLET })).transactId);
    }
    const listed: string[] = [];
    for await (const trade of live.pools.trades({ limit: 2 })) listed.push(trade.transactId);
    expect(listed).toEqual([...made].reverse());
    expect(await live.pools.balance(poolId)).toMatchObject({ poolId });
  });

  it('the clock', async () => {
    const { gate } = await world();
    const before = await gate.testHelpers.clock();
    const after = await gate.testHelpers.advanceClock(3600);
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(3_600_000);
  });
});
