import { describe, expect, it } from 'vitest';

import { isDeep } from '../../../depth.js';
import { bundlePage, runOnServer } from '../../bundle-page.js';
import { say } from '../../fake-widget.js';
import { openShop, type Shop, type ShopOptions } from '../../open-shop.js';
import { stopTime } from '../../widget/walk.js';

describe.each([18, 19] as const)('React %i', (react) => {
  /** Tests of the component's own behaviour; a quick run covers them with the newest React only. */
  const alsoInOld = it.runIf(isDeep || react === 19);
  const script = bundlePage('react-shop.tsx', react);
  const open = async (options: ShopOptions = {}): Promise<Shop> => openShop({ ...options, script: await script });
  const names = ({ page }: Shop): Promise<readonly string[]> =>
    page.evaluate(() => reactShop.calls.map(([name]) => name));
  /** Polled, since React renders asynchronously. */
  const heard = (shop: Shop, expected: readonly string[]): Promise<void> =>
    expect.poll(() => names(shop)).toEqual(expected);

  it('is the version under test', async () => {
    const { page } = await open();
    expect(await page.evaluate(() => reactShop.version)).toMatch(new RegExp(`^${react}\\.`));
  });

  it('under StrictMode there is one bootstrap and one frame', async () => {
    const shop = await open();
    const asked = bootstrapsOf(shop);
    await shop.page.evaluate((props) => reactShop.render({ ...props, isStrict: true }), shop.config);
    await heard(shop, ['onReady 1']);
    expect(asked.count).toBe(1);
    expect(await shop.page.locator('iframe').count()).toBe(1);
  });

  alsoInOld('new handlers replace the old ones without a remount', async () => {
    const shop = await open();
    const asked = bootstrapsOf(shop);
    await shop.page.evaluate((props) => reactShop.render(props), shop.config);
    await heard(shop, ['onReady 1']);

    await shop.page.evaluate((props) => reactShop.render(props, 'RampCheckout', 2), shop.config);
    await say(shop.widget.frames(shop.page)[0], { type: 'PAYMENT_ERROR', payload: { code: 'error', message: 'No' } });
    await say(shop.widget.frames(shop.page)[0], { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });
    await say(shop.widget.frames(shop.page)[0], { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });

    await heard(shop, ['onReady 1', 'onError 2', 'onSuccess 2', 'onClose 2']);
    expect(asked.count).toBe(1);
  });

  alsoInOld('navigates to the return URL after a success, unless redirectOnSuccess is never', async () => {
    const shop = await open({ prepare: ({ page }) => page.clock.install() });
    const { page, site, widget, config } = shop;
    site.serve('/done', { body: '<!doctype html><title>Done</title><link rel="icon" href="data:,">' });
    const returnUrl = `${site.origin}/done`;
    const pay = (): Promise<void> =>
      say(widget.frames(page).at(-1), { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });
    await page.evaluate((props) => reactShop.render(props), { ...config, returnUrl });
    await heard(shop, ['onReady 1']);
    await pay();
    await heard(shop, ['onReady 1', 'onSuccess 1']);
    await page.clock.runFor(10_000);
    expect(page.url()).toBe(`${site.origin}/`);

    await page.evaluate((props) => reactShop.render(props), {
      ...config,
      returnUrl,
      redirectOnSuccess: 'auto' as const,
    });
    await heard(shop, ['onReady 1', 'onSuccess 1', 'onReady 1']);
    await stopTime(page);
    await pay();
    await heard(shop, ['onReady 1', 'onSuccess 1', 'onReady 1', 'onSuccess 1']);
    await page.clock.runFor(3_100);
    await page.waitForURL(returnUrl);
  });

  alsoInOld('changed props remount the checkout and remove the old one', async () => {
    const shop = await open();
    const { page, config } = shop;
    const session = await shop.gate.createSession();
    const changes = [
      { theme: 'dark' as const },
      { flow: 'swap' as const },
      { maxHeight: 650 },
      { height: 700 },
      { height: 'auto' as const },
      { targetToken: 'ETH' },
      { targetNetwork: 'ethereum' },
      { returnUrl: 'https://shop.example/' },
      { locale: 'de' },
      { permissions: ['camera'] },
      { clientSecret: session.client_secret },
      { iframeUrl: `${shop.widget.origin}/embed?of=ours` },
    ];
    const asked = bootstrapsOf(shop);
    await page.evaluate((all) => reactShop.render(all), config);
    await expect.poll(async () => (await names(shop)).length).toBe(1);
    // The changes accumulate, since removing an earlier one would itself cause a remount.
    let props = config;
    for (const [at, change] of changes.entries()) {
      props = { ...props, ...change };
      const asks = [props, at + 2] as const;
      await page.evaluate(([all, index]) => reactShop.render(all, 'RampCheckout', index), asks);
      await expect.poll(async () => (await names(shop)).at(-1)).toBe(`onReady ${at + 2}`);
      expect(await page.locator('iframe').count()).toBe(1);
    }
    expect(asked.count).toBe(changes.length + 1);
  });

  alsoInOld('props that are not part of its identity do not remount it', async () => {
    const shop = await open();
    const { page, config } = shop;
    const asked = bootstrapsOf(shop);
    await page.evaluate((props) => reactShop.render({ ...props, permissions: ['camera'] }), config);
    await heard(shop, ['onReady 1']);
    await page.evaluate(
      (props) =>
        reactShop.render({
          ...props,
          permissions: ['camera'],
          className: 'box',
          style: { padding: 4 },
          fetchImpl: fetch,
        }),
      config,
    );
    await expect.poll(() => page.locator('.box > iframe').count()).toBe(1);
    expect(asked.count).toBe(1);
  });

  it('unmounting leaves nothing behind and calls no handler', async () => {
    const shop = await open();
    const { page, config, widget } = shop;
    await page.evaluate((props) => reactShop.render(props), { ...config, iframeUrl: `${widget.origin}/silent` });
    await expect.poll(() => page.locator('iframe').count()).toBe(1);
    await page.evaluate(() => reactShop.unmount());
    expect(await page.locator('#checkout').innerHTML()).toBe('');
    await page.evaluate((props) => reactShop.render(props), config);
    await heard(shop, ['onReady 1']);
  });

  alsoInOld('onMountError receives the error of an invalid key or a failed bootstrap', async () => {
    const shop = await open({ isListed: false });
    shop.expectProblem(/Failed to load resource.* 403/);
    const { page, config } = shop;
    await page.evaluate((props) => reactShop.render(props), { ...config, publishableKey: 'sk_test_secret' });
    await expect
      .poll(() => page.evaluate(() => reactShop.calls))
      .toEqual([['onMountError 1', 'SecretKeyInBrowserError']]);
    await page.evaluate((props) => reactShop.render(props, 'RampCheckout', 2), config);
    await expect.poll(() => page.evaluate(() => reactShop.calls.at(-1))).toEqual(['onMountError 2', 'MountError']);
  });

  alsoInOld('without onMountError the error is reported on the console', async () => {
    const shop = await open();
    shop.expectProblem(/uncaught: ConfigError/);
    await shop.page.evaluate(
      (props) => reactShop.render({ ...props, publishableKey: 'none', onMountError: undefined }),
      shop.config,
    );
    await expect.poll(() => shop.problems.length).toBe(1);
  });

  alsoInOld.each([
    ['GateOnRamp', 'on_ramp'],
    ['GateOffRamp', 'off_ramp'],
    ['GateSwap', 'swap'],
    ['GateCheckout', null],
  ] as const)('%s is locked to %s', async (component, flow) => {
    const shop = await open();
    await shop.page.evaluate(([props, name]) => reactShop.render(props, name), [shop.config, component] as const);
    await heard(shop, ['onReady 1']);
    const address = shop.widget.frames(shop.page)[0]?.url() ?? '';
    expect(new URL(address).searchParams.get('flow')).toBe(flow);
  });

  it('the server renders a box of its size, which hydrates without warnings', async () => {
    const render = (await runOnServer('react-server.tsx', react)) as (props: object) => string;
    expect(render({ publishableKey: 'pk_test_a', height: 480, className: 'box' })).toBe(
      '<div class="box" style="min-height:480px"></div>',
    );
    expect(render({ publishableKey: 'pk_test_a' })).toBe('<div style="min-height:600px"></div>');
    const content = render({ publishableKey: 'pk_test_a', height: 'auto' });
    expect(content).toBe('<div style="min-height:600px"></div>');
    const shop = await open({ content, policy: { 'style-src': "'unsafe-inline'" } });
    await shop.page.evaluate((props) => reactShop.hydrate(props), { ...shop.config, height: 'auto' as const });
    await heard(shop, ['onReady 1']);
    // With `auto` the frame determines its height after the first message.
    await say(shop.widget.frames(shop.page)[0], { type: 'WIDGET_RESIZE', payload: { height: 400 } });
    const box = shop.page.locator('#checkout > div');
    await expect.poll(() => box.evaluate((element) => element.clientHeight)).toBe(400);
  });
});

/** Counts the bootstrap calls from now on. */
function bootstrapsOf({ page }: Shop): { readonly count: number } {
  const asked = { count: 0 };
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/embed/bootstrap')) asked.count += 1;
  });
  return asked;
}
