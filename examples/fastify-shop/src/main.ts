import { openShop } from './shop.js';

const { env } = process;
const databaseUrl = env['DATABASE_URL'];
const masterKey = env['GATE_MASTER_KEY'];
if (databaseUrl === undefined || masterKey === undefined)
  throw new Error('Set DATABASE_URL, and GATE_MASTER_KEY to what `openssl rand -base64 32` prints.');

const apiUrl = env['API_URL'] ?? 'http://127.0.0.1:3002';
const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(apiUrl).hostname);
const key = (name: string, published: string): string => {
  const given = env[name] ?? (isLocal ? published : undefined);
  if (given === undefined) throw new Error(`Set ${name}. Its default is published, and for loopback addresses only.`);
  return given;
};

const warehouseUrl = env['WAREHOUSE_URL'];
const warehouseSecret = env['WAREHOUSE_SECRET'];
if (warehouseUrl !== undefined && warehouseSecret === undefined)
  throw new Error(
    'Set WAREHOUSE_SECRET to "whsec_" and what `openssl rand -hex 24` prints, here and at the warehouse.',
  );
const shop = await openShop({
  databaseUrl,
  masterKey: Buffer.from(masterKey, 'base64'),
  shopUrl: env['SHOP_URL'] ?? 'http://127.0.0.1:3000',
  apiUrl,
  checkoutUrl: env['CHECKOUT_URL'] ?? 'http://127.0.0.1:3001',
  publishableKey: key('GATE_PUBLISHABLE_KEY', 'pk_test_example_shop_publishable_key'),
  secretKey: key('GATE_SECRET_KEY', 'sk_test_example_shop_secret_key'),
  warehouse:
    warehouseUrl === undefined || warehouseSecret === undefined ? null : { url: warehouseUrl, secret: warehouseSecret },
});
console.log(`The shop is open: ${shop.shopUrl}`);
process.once('SIGTERM', () => void shop.close());
process.once('SIGINT', () => void shop.close());
