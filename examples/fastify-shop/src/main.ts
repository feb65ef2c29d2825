import { openShop } from './shop.js';

const { env } = process;
const databaseUrl = env['DATABASE_URL'];
const masterKey = env['GATE_MASTER_KEY'];
if (databaseUrl === undefined || masterKey === undefined)
  throw new Error('Set DATABASE_URL, and GATE_MASTER_KEY to what `openssl rand -base64 32` prints.');

const warehouseUrl = env['WAREHOUSE_URL'];
const shop = await openShop({
  databaseUrl,
  masterKey: Buffer.from(masterKey, 'base64'),
  shopUrl: env['SHOP_URL'] ?? 'http://127.0.0.1:3000',
  apiUrl: env['API_URL'] ?? 'http://127.0.0.1:3002',
  checkoutUrl: env['CHECKOUT_URL'] ?? 'http://127.0.0.1:3001',
  publishableKey: env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_example_shop_publishable_key',
  secretKey: env['GATE_SECRET_KEY'] ?? 'sk_test_example_shop_secret_key',
  warehouse:
    warehouseUrl === undefined
      ? null
      : { url: warehouseUrl, secret: env['WAREHOUSE_SECRET'] ?? 'whsec_example_warehouse_secret' },
});
console.log(`The shop is open: ${shop.shopUrl}`);
process.once('SIGTERM', () => void shop.close());
process.once('SIGINT', () => void shop.close());
