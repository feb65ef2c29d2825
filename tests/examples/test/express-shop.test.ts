import { type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { settingsOf } from '../../../examples/express-shop/src/settings.js';
import { openShop } from '../../../examples/express-shop/src/shop.js';
import { freePort } from '../../services/ports.js';
import { buyFrom, payOtherwise } from '../purchase.js';
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

  it('grants nothing for a signed event whose amount, currency or mode is not that of the order', async () => {
    await payOtherwise({ shop: shopUrl, api: server.origins.sandbox, secretKey: secret_keys[0] }, webhook_secret);
  });

  it('has published secrets as defaults on loopback addresses only', () => {
    expect(settingsOf({}).webhookSecret).toBe(webhook_secret);
    const deployed = { GATE_SECRET_KEY: 'sk_test_own', GATE_PUBLISHABLE_KEY: 'pk_test_own' };
    for (const elsewhere of [{ SHOP_URL: 'https://shop.example' }, { GATE_BASE_URL: 'https://gate.example' }])
      expect(() => settingsOf({ ...deployed, ...elsewhere })).toThrow('Set GATE_WEBHOOK_SECRET');
    expect(() => settingsOf({ SHOP_URL: 'https://shop.example' })).toThrow('Set GATE_SECRET_KEY');
    const own = { ...deployed, SHOP_URL: 'https://shop.example', GATE_WEBHOOK_SECRET: 'whsec_own' };
    expect(settingsOf(own).webhookSecret).toBe('whsec_own');
  });

  it('believes no webhook that is not signed', async () => {
    const forged = await fetch(`${shopUrl}/hooks`, { method: 'POST', body: '{"type":"gate_session.completed"}' });
    expect([forged.status, await forged.json()]).toMatchObject([400, { error: { reason: 'no_header' } }]);
  });
});
