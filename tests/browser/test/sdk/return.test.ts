import type { GateRampConfig } from '@gateramp/sdk-browser';
import { expect, it } from 'vitest';
import { say } from '../../fake-widget.js';
import { openShop, type Shop } from '../../open-shop.js';
import { stopTime } from '../../widget/walk.js';

const SUCCESS = { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } };
const PAGE = { body: '<!doctype html><html lang="en"><title>Thank you</title><link rel="icon" href="data:,"></html>' };

/** Opens a shop with a checkout that has just succeeded. The time of its page is stopped before that. */
async function paid(options: Partial<GateRampConfig> = {}): Promise<Shop> {
  const shop = await openShop({ prepare: ({ page }) => page.clock.install() });
  for (const path of ['/done', '/thanks']) shop.site.serve(path, PAGE);
  const { client_secret: clientSecret } = await shop.gate.createSession();
  const config = { ...shop.config, redirectOnSuccess: undefined, clientSecret, ...options };
  expect(await shop.page.evaluate((all) => globalThis.shop.open(all), config)).toBe('mounted');
  await stopTime(shop.page);
  await say(shop.widget.frames(shop.page)[0], SUCCESS);
  await expect.poll(() => shop.page.evaluate(() => globalThis.shop.calls[0]?.at(-1)?.[0])).toBe('onSuccess');
  return shop;
}

const stays = async ({ page, site }: Shop): Promise<void> => {
  await page.clock.runFor(10_000);
  expect(page.url()).toBe(`${site.origin}/`);
};

it('the page navigates to the session’s return_url three seconds after onSuccess', async () => {
  const { page, site } = await paid();
  await page.clock.runFor(2_900);
  expect(page.url()).toBe(`${site.origin}/`);
  await page.clock.runFor(200);
  await page.waitForURL(`${site.origin}/done`);
});

it('the option returnUrl takes precedence over that of the session', async () => {
  const shop = await openShop();
  const { page, site } = await paid({ returnUrl: `${shop.site.origin}/thanks` });
  shop.site.serve('/thanks', PAGE);
  await page.clock.runFor(3_100);
  await page.waitForURL(`${shop.site.origin}/thanks`);
  expect(shop.site.origin).not.toBe(site.origin);
});

it("with redirectOnSuccess: 'never' the page stays", async () => {
  await stays(await paid({ redirectOnSuccess: 'never' }));
});

it.each(['javascript:document.title="ran"', 'data:text/html,x', '//evil.example/', '/done', 'ftp://evil.example/'])(
  'only http and https URLs are followed: %s',
  async (returnUrl) => {
    const shop = await paid({ returnUrl });
    await stays(shop);
    expect(await shop.page.title()).toBe('Shop');
  },
);

it('without a session and the option the page stays', async () => {
  await stays(await paid({ clientSecret: undefined }));
});

it('time while the page is hidden does not count', async () => {
  const shop = await paid();
  const { page, site } = shop;
  const setHidden = (isHidden: boolean): Promise<void> =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    }, isHidden);
  await setHidden(true);
  await stays(shop);
  await setHidden(false);
  await page.clock.runFor(3_100);
  await page.waitForURL(`${site.origin}/done`);
});

it('unmounting prevents the redirect', async () => {
  const shop = await paid();
  await shop.page.clock.runFor(1_000);
  await shop.page.evaluate(() => globalThis.shop.ramp(0).unmount());
  await stays(shop);
});
