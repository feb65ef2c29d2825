import { describe, expect, it } from 'vitest';
import { post, runShop } from './running-shop.js';

const BUY = { flow: 'on_ramp', situation: 'ordinary', way: 'kit' };

describe('an order', () => {
  it('creates a session for the price of the shop, whatever amount the browser sends', async () => {
    const shop = await runShop();
    const placed = await post(`${shop.origin}/orders`, { ...BUY, amount: '0.01', currency: 'USD' });

    expect(placed.status).toBe(200);
    expect(shop.requests).toEqual([
      {
        path: '/v1/gate_sessions',
        body: expect.objectContaining({ amount: '100.00', currency: 'EUR', flow: 'on_ramp' }),
      },
    ]);
  });

  it('can be retrieved by its number, without the secret', async () => {
    const shop = await runShop();
    const placed = await post(`${shop.origin}/orders`, BUY);
    const { client_secret, ...order } = JSON.parse(await placed.text());

    expect(client_secret).toBe('gsec_test');
    expect(await (await fetch(`${shop.origin}/orders/${order.id}`)).json()).toEqual(order);
    expect((await fetch(`${shop.origin}/orders/another`)).status).toBe(404);
  });

  it('returns its buyer to the host name of the request, and to no foreign origin', async () => {
    const shop = await runShop();
    const known = shop.origin.replace('127.0.0.1', 'localhost');
    await post(`${shop.origin}/orders`, BUY, { origin: known });
    await post(`${shop.origin}/orders`, BUY, { origin: 'https://elsewhere.example' });

    const [first, second] = shop.requests.map(({ body }) => new URL(String(body['return_url'])).origin);
    expect([first, second]).toEqual([known, shop.origin]);
  });

  it('belongs to the buyer of the browser cookie, and a request cannot name another', async () => {
    const shop = await runShop();
    const first = await post(`${shop.origin}/orders`, BUY);
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^demo_shop_buyer=[0-9a-f-]{36}; Path=\/; HttpOnly; SameSite=Lax$/);
    const again = await post(`${shop.origin}/orders`, BUY, { cookie: cookie.split(';')[0] ?? '' });
    expect(again.headers.get('set-cookie')).toBeNull();
    await post(`${shop.origin}/orders`, BUY, { cookie: 'demo_shop_buyer=ada' });
    const [ada, sameAda, stranger] = shop.requests.map(({ body }) => body['user_reference']);
    expect(sameAda).toBe(ada);
    expect(stranger).not.toBe(ada);
    expect(stranger).not.toBe('ada');
  });

  it('stores how the checkout was shown, by default on the full page', async () => {
    const shop = await runShop();
    const { way: _, ...withoutWay } = BUY;
    const ways = [BUY, withoutWay].map(async (choice) => (await post(`${shop.origin}/orders`, choice)).json());
    expect(await Promise.all(ways)).toMatchObject([{ way: 'kit' }, { way: 'full-page' }]);
    expect((await post(`${shop.origin}/orders`, { ...BUY, way: 'by post' })).status).toBe(400);
  });

  it('sets the branding of the checkout once, unless there is one', async () => {
    const shop = await runShop();
    await post(`${shop.origin}/sell`, {});
    expect(shop.looks).toEqual([]);
    await post(`${shop.origin}/orders`, BUY);
    await post(`${shop.origin}/orders`, BUY);
    expect(shop.looks).toEqual([{ display_name: 'Demo shop', accent_color: '#6d28d9' }]);

    const branded = await runShop({ look: { display_name: 'Acme' } });
    await post(`${branded.origin}/orders`, BUY);
    expect(branded.looks).toEqual([{ display_name: 'Acme' }]);
  });

  it('is accepted from the shop’s own page only', async () => {
    const shop = await runShop();
    for (const path of ['/orders', '/sell'])
      expect((await post(`${shop.origin}${path}`, BUY, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(shop.requests).toEqual([]);
  });

  it('with an unknown flow or situation is refused', async () => {
    const shop = await runShop();
    expect((await post(`${shop.origin}/orders`, { ...BUY, flow: 'gift' })).status).toBe(400);
    expect((await post(`${shop.origin}/orders`, { ...BUY, situation: 'robbed' })).status).toBe(400);
    expect(shop.requests).toEqual([]);
  });
});

it('a shop without a key refuses orders with a reason', async () => {
  const shop = await runShop({ keys: null });
  const answer = await post(`${shop.origin}/orders`, BUY);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { message: expect.stringContaining('This shop has no key') },
  ]);
  expect(await (await fetch(`${shop.origin}/config`)).json()).toMatchObject({ publishableKey: null });
});

it('an unreachable API gives the buyer a 502 and is reported to the shop', async () => {
  const errors: unknown[] = [];
  const shop = await runShop({ apiBaseUrl: 'http://127.0.0.1:9', onError: (error) => errors.push(error) });
  const answer = await post(`${shop.origin}/orders`, BUY);
  expect([answer.status, await answer.json()]).toEqual([502, { message: expect.stringContaining('connection_error') }]);
  expect(errors).toHaveLength(1);
});
