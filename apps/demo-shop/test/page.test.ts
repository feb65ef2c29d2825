import { expect, it } from 'vitest';
import { runShop } from './running-shop.js';

it.each(['/', '/return', '/cancel'])(
  '%s serves the page with a policy that only allows the API and the frame of the checkout',
  async (path) => {
    const shop = await runShop({ apiBaseUrl: 'https://api.example/gate', checkoutUrl: 'https://checkout.example' });
    const page = await fetch(`${shop.origin}${path}`);

    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https://api.example; " +
        "frame-src https://checkout.example; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  },
);

it('the page contains neither keys nor addresses: its server provides them', async () => {
  const shop = await runShop({ checkoutUrl: 'https://checkout.example' });
  const [page, script, config] = await Promise.all(
    ['/', '/shop.js', '/config'].map(async (path) => (await fetch(`${shop.origin}${path}`)).text()),
  );
  for (const text of [page, script]) {
    expect(text).not.toContain('pk_test_demo');
    expect(text).not.toContain('https://checkout.example');
  }
  expect(JSON.parse(config ?? '')).toMatchObject({
    publishableKey: 'pk_test_demo_shop_tests',
    iframeUrl: 'https://checkout.example',
  });
  expect(config).not.toContain('sk_test_');
});
