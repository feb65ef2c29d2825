import { type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { openShop } from '../../../examples/express-shop/src/shop.js';
import { freePort } from '../../services/ports.js';
import { buyFrom } from '../purchase.js';
import { publishable_keys, secret_keys, serverFor, webhook_secret } from '../shops.js';

describe('the shop on Express', () => {
  let server: ReadyServer;
  let shop: Server;
  let shopUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    shopUrl = `http://127.0.0.1:${port}`;
    server = await serverFor(port);
    shop = await openShop({
      shopUrl,
      secretKey: secret_keys[0],
      publishableKey: publishable_keys[0],
      webhookSecret: webhook_secret,
      baseUrl: server.origins.sandbox,
      checkoutUrl: server.origins.sandbox_widget,
    });
  });
  afterAll(() => {
    shop.closeAllConnections();
    shop.close();
    server.process.kill('SIGKILL');
  });

  it('sells a mug, which is paid when the signed webhook says so', async () => {
    await buyFrom({ shop: shopUrl, api: server.origins.sandbox, secretKey: secret_keys[0] });
  });

  it('believes no webhook that is not signed', async () => {
    const forged = await fetch(`${shopUrl}/hooks`, { method: 'POST', body: '{"type":"gate_session.completed"}' });
    expect([forged.status, await forged.json()]).toMatchObject([400, { error: { reason: 'no_header' } }]);
  });
});
