import { Gate } from '@gateramp/sdk-node';

const { env } = process;

export const SHOP_URL = env['SHOP_URL'] ?? 'http://127.0.0.1:3000';
export const CHECKOUT_URL = env['GATE_CHECKOUT_URL'] ?? 'http://127.0.0.1:4244';
const BASE_URL = env['GATE_BASE_URL'] ?? 'http://127.0.0.1:4242';

export const PUBLISHABLE_KEY = secret('GATE_PUBLISHABLE_KEY', 'pk_test_example_shop_publishable_key');
export const WEBHOOK_SECRET = secret('GATE_WEBHOOK_SECRET', 'whsec_example_shop_signing_secret');
const SECRET_KEY = secret('GATE_SECRET_KEY', 'sk_test_example_shop_secret_key');
export const IS_LIVE = SECRET_KEY.startsWith('sk_live_');

/** In a module that no page imports, so that the secret key stays on the server. */
export const gate = new Gate(SECRET_KEY, { baseUrl: BASE_URL });

/** The keys and the secret of examples/seed.json are public, so they are defaults on loopback addresses only. */
function secret(name: string, published: string): string {
  const given = env[name] ?? ([SHOP_URL, BASE_URL].every(isLoopback) ? published : undefined);
  if (given === undefined) throw new Error(`Set ${name}. Its default is published, and for loopback addresses only.`);
  return given;
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}
