import { openShop } from './shop.js';

const { env } = process;
const shopUrl = env['SHOP_URL'] ?? 'http://127.0.0.1:3000';
await openShop({
  shopUrl,
  secretKey: env['GATE_SECRET_KEY'] ?? 'sk_test_example_shop_secret_key',
  publishableKey: env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_example_shop_publishable_key',
  webhookSecret: env['GATE_WEBHOOK_SECRET'] ?? 'whsec_example_shop_signing_secret',
  baseUrl: env['GATE_BASE_URL'] ?? 'http://127.0.0.1:4242',
  checkoutUrl: env['GATE_CHECKOUT_URL'] ?? 'http://127.0.0.1:4244',
});
console.log(`The shop is open: ${shopUrl}`);
