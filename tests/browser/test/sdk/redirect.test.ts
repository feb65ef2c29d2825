import { expect, it } from 'vitest';

import { openShop } from '../../open-shop.js';

it('redirectToCheckout goes to the full page with the secret, the key and the theme', async () => {
  const { page, widget, gate, config } = await openShop();
  const { client_secret: clientSecret } = await gate.createSession();

  const answered = await page.evaluate((all) => String(shop.sdk.GateRamp.redirectToCheckout(all)), {
    publishableKey: config.publishableKey,
    iframeUrl: `${widget.origin}/embed`,
    clientSecret,
    theme: 'dark' as const,
  });

  expect(answered).toBe('undefined');
  await page.waitForURL(`${widget.origin}/**`);
  const address = new URL(page.url());
  expect(address.pathname).toBe('/');
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_secret: clientSecret,
    publishableKey: gate.keys.publishable,
    theme: 'dark',
  });
});

it('redirectToCheckout does not navigate without a secret or with an invalid key', async () => {
  const { page, config } = await openShop();
  const before = page.url();
  const names = await page.evaluate(({ publishableKey }) => {
    const { GateRamp } = shop.sdk;
    const name = (go: () => void): string => {
      try {
        go();
        return 'gone';
      } catch (error) {
        return error instanceof Error ? error.name : 'unknown';
      }
    };
    return [
      name(() => GateRamp.redirectToCheckout({ publishableKey } as never)),
      name(() => GateRamp.redirectToCheckout({ publishableKey, clientSecret: '' })),
      name(() => GateRamp.redirectToCheckout({ publishableKey: 'sk_test_x', clientSecret: 'gsec_x' })),
      name(() => GateRamp.redirectToCheckout({ publishableKey: 'x', clientSecret: 'gsec_x' })),
    ];
  }, config);
  expect(names).toEqual(['ConfigError', 'ConfigError', 'SecretKeyInBrowserError', 'ConfigError']);
  expect(page.url()).toBe(before);
});
