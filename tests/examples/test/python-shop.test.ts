import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { pathWithHttpx, pythons } from '../../../sdks/python/test/python.js';
import { freePort } from '../../services/ports.js';
import { buyFrom, payOtherwise } from '../purchase.js';
import { openShop, secret_keys, serverFor, webhook_secret, type Shop } from '../shops.js';

const [python = 'python3'] = await pythons();

describe.runIf((await pythons()).length > 0)('the shop in Python', () => {
  let server: ReadyServer;
  let shop: Shop;
  beforeAll(async () => {
    const port = await freePort();
    server = await serverFor(port);
    shop = await openShop(python, ['-B', 'examples/python-shop/shop.py'], {
      PYTHONPATH: await pathWithHttpx(python),
      PORT: String(port),
      GATE_BASE_URL: server.origins.sandbox,
      GATE_CHECKOUT_URL: server.origins.sandbox_widget,
    });
  });
  afterAll(() => {
    shop.process.kill('SIGKILL');
    server.process.kill('SIGKILL');
  });

  it('sells a mug, which is paid when the signed webhook says so', async () => {
    await buyFrom({ shop: shop.url, api: server.origins.sandbox, secretKey: secret_keys[0] });
  });

  it('grants nothing for a signed event whose amount, currency or mode is not that of the order', async () => {
    await payOtherwise({ shop: shop.url, api: server.origins.sandbox, secretKey: secret_keys[0] }, webhook_secret);
  });

  it('has published secrets as defaults on loopback addresses only', async () => {
    const environment = { PYTHONPATH: await pathWithHttpx(python), SHOP_URL: 'https://shop.example' };
    const args = ['-B', 'examples/python-shop/shop.py'];
    await expect(openShop(python, args, environment)).rejects.toThrow('Set GATE_PUBLISHABLE_KEY');
    const keys = { GATE_PUBLISHABLE_KEY: 'pk_test_own', GATE_SECRET_KEY: 'sk_test_own' };
    await expect(openShop(python, args, { ...environment, ...keys })).rejects.toThrow('Set GATE_WEBHOOK_SECRET');
  });

  it('believes no webhook that is not signed', async () => {
    const forged = await fetch(`${shop.url}/hooks`, { method: 'POST', body: '{"type":"gate_session.completed"}' });
    expect([forged.status, await forged.json()]).toMatchObject([400, { error: { reason: 'no_header' } }]);
  });
});
