import { randomBytes, randomUUID } from 'node:crypto';
import { webhooks } from '@gateramp/sdk-node';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, eventually } from '../../../apps/reference-server/test/ask.js';
import { openShop, type Shop } from '../../../examples/fastify-shop/src/shop.js';
import { placeOrder } from '../../../examples/fastify-shop/src/orders.js';
import { openWarehouse, type Warehouse } from '../../../examples/fastify-shop/src/warehouse.js';
import { freePort } from '../../services/ports.js';
import { testDatabaseUrl } from '../../services/test-postgres.js';
import { buyFrom } from '../purchase.js';

const WAREHOUSE_SECRET = 'whsec_warehouse_test_secret';
const SECRET_KEY = 'sk_test_fastify_shop_secret_key';

describe('the shop on Fastify, with the engine inside', () => {
  const database = `shop_${randomUUID().replaceAll('-', '')}`;
  let warehouse: Warehouse;
  let admin: pg.Client;
  let shop: Shop;
  let apiUrl: string;
  beforeAll(async () => {
    apiUrl = `http://127.0.0.1:${await freePort()}`;
    const databaseUrl = new URL(await testDatabaseUrl());
    admin = new pg.Client(databaseUrl.href);
    await admin.connect();
    await admin.query(`create database ${database}`);
    databaseUrl.pathname = `/${database}`;
    warehouse = await openWarehouse({
      databaseUrl: databaseUrl.href,
      port: await freePort(),
      secret: WAREHOUSE_SECRET,
    });
    shop = await openShop({
      databaseUrl: databaseUrl.href,
      masterKey: randomBytes(32),
      shopUrl: `http://127.0.0.1:${await freePort()}`,
      apiUrl,
      checkoutUrl: `http://127.0.0.1:${await freePort()}`,
      publishableKey: 'pk_test_fastify_shop_publishable_key',
      secretKey: SECRET_KEY,
      warehouse: { url: warehouse.url, secret: WAREHOUSE_SECRET },
    });
  });
  afterAll(async () => {
    await shop.close();
    await warehouse.close();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  });

  it('sells a mug, sends it when it is paid, and its warehouse is notified by a verified webhook', async () => {
    const order = await buyFrom({ shop: shop.shopUrl, api: apiUrl, secretKey: SECRET_KEY });
    const parcels = await eventually(async () =>
      (await parcelsOf(warehouse)).length > 0 ? parcelsOf(warehouse) : null,
    );
    expect(parcels).toEqual([{ order_id: order.id }]);
  });

  it('packs nothing for a signed event of other terms, and one parcel for one that comes again', async () => {
    const before = await parcelsOf(warehouse);
    const terms = { object: 'gate_session', id: 's', amount: '25.00', currency: 'EUR', user_reference: 'order-7' };
    const deliver = async (id: string, livemode: boolean, other: object): Promise<number> => {
      const event = { id, type: 'gate_session.completed', sequence: 1, livemode, data: { ...terms, ...other } };
      const body = JSON.stringify(event);
      const headers = { 'gate-signature': webhooks.generateTestHeader({ payload: body, secret: WAREHOUSE_SECRET }) };
      return (await fetch(warehouse.url, { method: 'POST', body, headers })).status;
    };
    expect(await deliver('e1', false, { amount: '0.01' })).toBe(200);
    expect(await deliver('e2', false, { currency: 'JPY' })).toBe(200);
    expect(await deliver('e3', true, {})).toBe(200);
    expect(await parcelsOf(warehouse)).toEqual(before);
    for (let times = 0; times < 2; times += 1) expect(await deliver('e4', false, {})).toBe(200);
    expect(await parcelsOf(warehouse)).toEqual([...before, { order_id: 'order-7' }]);
  });

  it('sends no mug when what was paid is not what was ordered', async () => {
    const secret = await placeOrder(shop);
    const sessionId = /^gsec_([0-9a-f]{24})_/.exec(secret)?.[1] ?? '';
    await shop.pool.query(`update mug_orders set amount = '30.00' where session_id = $1`, [sessionId]);
    const simulate = `${apiUrl}/v1/test_helpers/gate_sessions/${sessionId}/simulate`;
    await call(simulate, { authorization: `Bearer ${SECRET_KEY}` }, { scenario: 'succeed' });
    const statusOf = async (): Promise<unknown> =>
      (await shop.pool.query('select status from mug_orders where session_id = $1', [sessionId])).rows[0];
    // The consumer has had its turn once a later order is paid.
    await buyFrom({ shop: shop.shopUrl, api: apiUrl, secretKey: SECRET_KEY });
    expect(await statusOf()).toEqual({ status: 'open' });
  });

  it('has neither an order nor a session where the two cannot be had together', async () => {
    const rows = async (): Promise<unknown> =>
      (
        await shop.pool.query(
          'select (select count(*) from mug_orders) as orders, (select count(*) from gateramp.sessions) as sessions',
        )
      ).rows[0];
    const before = await rows();
    await expect(placeOrder({ ...shop, shopUrl: 'https://elsewhere.example' })).rejects.toThrow('origin_not_allowed');
    await shop.pool.query(`alter table mug_orders add constraint none check (status <> 'open') not valid`);
    await expect(placeOrder(shop)).rejects.toThrow('none');
    expect(await rows()).toEqual(before);
    await shop.pool.query('alter table mug_orders drop constraint none');
    await placeOrder(shop);
    expect(await rows()).not.toEqual(before);
  });

  it('shows the hosted checkout on an origin of its own', async () => {
    const bought = await fetch(`${shop.shopUrl}/orders`, { method: 'POST', redirect: 'manual' });
    const page = await fetch(bought.headers.get('location') ?? '');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

const parcelsOf = async ({ url }: Warehouse): Promise<readonly unknown[]> => {
  // What it answers is what the warehouse's own route answers.
  return (await (await fetch(url.replace('/hooks', '/parcels'))).json()) as readonly unknown[];
};
