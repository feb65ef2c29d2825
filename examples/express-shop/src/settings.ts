import type { ShopSettings } from './shop.js';

/**
 * Settings from the environment. The keys and the secret of examples/seed.json are public, so they are defaults on loopback addresses only.
 */
export function settingsOf(env: Readonly<Record<string, string | undefined>>): ShopSettings {
  const shopUrl = env['SHOP_URL'] ?? 'http://127.0.0.1:3000';
  const baseUrl = env['GATE_BASE_URL'] ?? 'http://127.0.0.1:4242';
  const isLocal = [shopUrl, baseUrl].every(isLoopback);
  const secret = (name: string, published: string): string => {
    const given = env[name] ?? (isLocal ? published : undefined);
    if (given === undefined) throw new Error(`Set ${name}. Its default is published, and for loopback addresses only.`);
    return given;
  };
  return {
    shopUrl,
    secretKey: secret('GATE_SECRET_KEY', 'sk_test_example_shop_secret_key'),
    publishableKey: secret('GATE_PUBLISHABLE_KEY', 'pk_test_example_shop_publishable_key'),
    webhookSecret: secret('GATE_WEBHOOK_SECRET', 'whsec_example_shop_signing_secret'),
    baseUrl,
    checkoutUrl: env['GATE_CHECKOUT_URL'] ?? 'http://127.0.0.1:4244',
  };
}

const isLoopback = (url: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
