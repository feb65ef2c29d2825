import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';

import { say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

it('unmount leaves no frame, listener or timer, however often it is called', async () => {
  const { page, widget, config } = await openShop({ prepare: ({ page }) => page.clock.install() });
  const before = await listenersOn(page);
  await page.evaluate((all) => shop.open(all), config);
  expect(await listenersOn(page)).not.toEqual(before);
  await say(widget.frames(page)[0], { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });

  await page.evaluate(() => {
    shop.ramp(0).unmount();
    shop.ramp(0).unmount();
  });

  expect(await page.locator('iframe').count()).toBe(0);
  expect(await listenersOn(page)).toEqual(before);
  await page.clock.fastForward(60_000);
  expect(await page.evaluate((all) => shop.open(all), config)).toBe('mounted');
});

it('an unmount during the bootstrap aborts it, and mount rejects at once', async () => {
  const { page, widget, config } = await openShop();
  const before = await listenersOn(page);
  const mounting = page.evaluate((all) => shop.open({ ...all, fetchImpl: shop.hangingFetch }), config);
  await expect.poll(() => page.evaluate(() => shop.hanging)).toEqual([{ aborted: false }]);

  await page.evaluate(() => shop.ramp(0).unmount());

  expect(await mounting).toMatchObject({ name: 'MountError', code: 'aborted', status: null });
  expect(await page.evaluate(() => shop.hanging)).toEqual([{ aborted: true }]);
  expect(await listenersOn(page)).toEqual(before);
  expect(widget.site.requests).toEqual([]);
});

it('an unmount before the checkout is ready rejects as well', async () => {
  const { page, widget, config } = await openShop();
  const mounting = page.evaluate((all) => shop.open(all), { ...config, iframeUrl: `${widget.origin}/silent` });
  await expect.poll(() => widget.frames(page).length).toBe(1);
  await page.evaluate(() => shop.ramp(0).unmount());
  expect(await mounting).toMatchObject({ code: 'aborted' });
  expect(await page.locator('iframe').count()).toBe(0);
});

it('an unmount in the same task sends no request, and another mount sends one', async () => {
  const { page, config } = await openShop();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.method() + ' ' + new URL(request.url()).pathname));

  const outcomes = await page.evaluate((all) => {
    const number = shop.make(all);
    const first = shop.mount(number);
    shop.ramp(number).unmount();
    return Promise.all([first, shop.mount(number)]);
  }, config);

  expect(outcomes).toMatchObject([{ code: 'aborted' }, 'mounted']);
  expect(asked.filter((line) => line.startsWith('POST'))).toEqual(['POST /v1/embed/bootstrap']);
});

it('an unmounted, unawaited mount causes no unhandled rejection', async () => {
  const { page, config } = await openShop();
  await page.evaluate((all) => {
    const ramp = new shop.sdk.GateRamp(all);
    void ramp.mount('#checkout');
    ramp.unmount();
  }, config);
  // Chromium reports unhandled rejections at the end of the task, before the next mount resolves.
  expect(await page.evaluate((all) => shop.open(all), config)).toBe('mounted');
});

it('no handler is called after an unmount in a handler', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate(async (all) => {
    shop.calls.push([]);
    const ramp = new shop.sdk.GateRamp(all);
    await ramp.mount('#checkout', {
      onSuccess: () => {
        shop.calls[0]?.push(['onSuccess', null]);
        ramp.unmount();
      },
      onClose: () => shop.calls[0]?.push(['onClose', null]),
    });
  }, config);
  await widget.frames(page)[0]?.evaluate(() => {
    globalThis.say({ type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });
    globalThis.say({ type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  });
  await expect.poll(() => page.locator('iframe').count()).toBe(0);
  expect(await page.evaluate((all) => shop.open(all), config)).toBe('mounted');
  expect(await page.evaluate(() => shop.calls[0]?.filter(([name]) => name !== 'onReady'))).toEqual([
    ['onSuccess', null],
  ]);
});

/** The number of listeners by event type on the window and the document, as counted by the browser. */
async function listenersOn(page: Page): Promise<Readonly<Record<string, number>>> {
  const devtools = await page.context().newCDPSession(page);
  const counts: Record<string, number> = {};
  for (const expression of ['window', 'document']) {
    const { result } = await devtools.send('Runtime.evaluate', { expression });
    const { listeners } = await devtools.send('DOMDebugger.getEventListeners', { objectId: result.objectId ?? '' });
    for (const { type } of listeners) counts[`${expression} ${type}`] = (counts[`${expression} ${type}`] ?? 0) + 1;
  }
  await devtools.detach();
  return counts;
}
