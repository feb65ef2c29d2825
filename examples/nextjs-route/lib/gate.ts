import { Gate } from '@gateramp/sdk-node';

const { env } = process;

export const SHOP_URL = env['SHOP_URL'] ?? 'http://127.0.0.1:3000';
export const CHECKOUT_URL = env['GATE_CHECKOUT_URL'] ?? 'http://127.0.0.1:4244';
export const PUBLISHABLE_KEY = env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_example_shop_publishable_key';
export const WEBHOOK_SECRET = env['GATE_WEBHOOK_SECRET'] ?? 'whsec_example_shop_signing_secret';

/** In a module that no page imports: the secret key stays on the server. */
export const gate = new Gate(env['GATE_SECRET_KEY'] ?? 'sk_test_example_shop_secret_key', {
  baseUrl: env['GATE_BASE_URL'] ?? 'http://127.0.0.1:4242',
});
