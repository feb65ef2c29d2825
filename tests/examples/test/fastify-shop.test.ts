import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { webhooks, type WebhookEvent } from '@gateramp/sdk-node';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../apps/reference-server/test/running-server.js';
import { openShop, type Shop } from '../../../examples/fastify-shop/src/shop.js';
import { placeOrder } from '../../../examples/fastify-shop/src/orders.js';
import { freePort, portOf } from '../../services/ports.js';
import { testDatabaseUrl } from '../../services/test-postgres.js';
import { buyFrom } from '../purchase.js';

const MAX_MS = 60_000;
const WAREHOUSE_SECRET = 'whsec_warehouse_test_secret';
const SECRET_KEY = 'sk_test_fastify_shop_secret_key';

describe('the shop on Fastify, with the engine inside', () => {
  const database = `shop_${randomUUID().replaceAll('-', '')}`;
  const received: WebhookEvent[] = [];
  let warehouse: Server;
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
    warehouse = await listening((body, signature) => {
      received.push(webhooks.constructEvent(body, signature, WAREHOUSE_SECRET));
    });
    shop = await openShop({
      databaseUrl: databaseUrl.href,
      masterKey: randomBytes(32),
      shopUrl: `http://127.0.0.1:${await freePort()}`,
      apiUrl,
      checkoutUrl: `http://127.0.0.1:${await freePort()}`,
      publishableKey: 'pk_test_fastify_shop_publishable_key',
      secretKey: SECRET_KEY,
      warehouse: { url: `http://127.0.0.1:${portOf(warehouse)}/`, secret: WAREHOUSE_SECRET },
    });
  }, MAX_MS);
  afterAll(async () => {
    await shop.close();
    warehouse.close();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  }, MAX_MS);

  it(
    'sells a mug, sends it when it is paid, and its warehouse hears of that by a webhook that verifies',
    { timeout: MAX_MS },
    async () => {
      const order = await buyFrom({ shop: shop.shopUrl, api: apiUrl, secretKey: SECRET_KEY });
      const completed = await eventually(() =>
        Promise.resolve(received.find((event) => event.type === 'gate_session.completed')),
      );
      expect(completed.data).toMatchObject({ user_reference: order.id, tx_refid: order.tx_refid });
    },
  );

  it('has neither an order nor a session where the two cannot be had together', { timeout: MAX_MS }, async () => {
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

function listening(take: (body: Buffer, signature: string | undefined) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['gate-signature'];
      take(Buffer.concat(chunks), typeof signature === 'string' ? signature : undefined);
      response.writeHead(204).end();
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
