import { expect, it } from 'vitest';

import { fakeWidget, heardBy, say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

const FORGED = { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_forged' } };
const REAL = { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } };

it('messages of another frame on the checkout’s origin are ignored', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  const other = await page.evaluateHandle((url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.querySelector('#other')?.append(frame);
    return new Promise<HTMLIFrameElement>((resolve) => (frame.onload = () => resolve(frame)));
  }, `${widget.origin}/silent`);
  const hostile = await other.contentFrame();

  await say(hostile ?? undefined, FORGED);
  await say(hostile ?? undefined, { type: 'WIDGET_READY', payload: {} });

  expect(await heardBy(hostile ?? undefined)).toEqual([]);
  await thenOnlyTheRealOneCounts();

  async function thenOnlyTheRealOneCounts(): Promise<void> {
    await say(widget.frames(page)[0], REAL);
    await expect.poll(() => page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady', 'onClose']);
  }
});

it('messages of a checkout frame that navigated to another origin are ignored', async () => {
  const stranger = await fakeWidget();
  const { page, widget, config, expectProblem } = await openShop({ policy: { 'frame-src': 'http://127.0.0.1:*' } });
  expectProblem(/postMessage.*target origin provided/);
  await page.evaluate((all) => shop.open(all), config);
  const [frame] = widget.frames(page);

  await frame?.evaluate((url) => location.assign(url), `${stranger.origin}/embed`);
  await frame?.waitForURL(`${stranger.origin}/embed`);
  await say(frame, FORGED);
  await page.evaluate(() => shop.ramp(0).setTheme('dark'));

  expect(await heardBy(frame)).toEqual([]);
  expect(await page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady']);
});

it('messages of the shop itself and of a page that frames it are ignored', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);

  await page.evaluate(
    ([message, origin]) => {
      window.postMessage(message, '*');
      // Scripts of the page can forge these events; other parties cannot.
      dispatchEvent(new MessageEvent('message', { data: message, origin, source: window }));
      dispatchEvent(new MessageEvent('message', { data: message, origin }));
    },
    [FORGED, widget.origin] as const,
  );

  await say(widget.frames(page)[0], REAL);
  await expect.poll(() => page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady', 'onClose']);
});

it('messages of a window on the checkout’s origin are ignored', async () => {
  const { page, context, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((url) => void open(url), `${widget.origin}/silent`),
  ]);
  await opened.waitForFunction(() => 'say' in globalThis);

  await opened.evaluate((message) => globalThis.say(message, opener as Window), FORGED);

  await say(widget.frames(page)[0], REAL);
  await expect.poll(() => page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady', 'onClose']);
});

it('malformed messages are ignored', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  const [frame] = widget.frames(page);
  const shapeless = [
    null,
    'PAYMENT_SUCCESS',
    JSON.stringify(FORGED),
    [FORGED],
    { type: 'PAYMENT_SUCCESS' },
    { type: 'PAYMENT_SUCCESS', payload: null },
    { type: 'PAYMENT_SUCCESS', payload: [] },
    { type: 'PAYMENT_SUCCESS', payload: {} },
    { type: 'PAYMENT_SUCCESS', payload: { txId: '' } },
    { type: 'PAYMENT_SUCCESS', payload: { txId: 1 } },
    { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1', amount: 1 } },
    { type: 'payment_success', payload: { txId: 'gtx_1' } },
    { type: ['PAYMENT_SUCCESS'], payload: { txId: 'gtx_1' } },
    { type: 'INIT_CONFIG', payload: {} },
    { type: 'PAYMENT_ERROR', payload: { code: 'error' } },
    { type: 'PAYMENT_ERROR', payload: { code: '', message: 'No' } },
    { type: 'PAYMENT_ERROR', payload: { code: 'error', message: {} } },
    { type: 'PAYMENT_CLOSE', payload: {} },
    { type: 'PAYMENT_CLOSE', payload: { reason: 1 } },
    { type: 'toString', payload: {} },
  ];

  for (const message of shapeless) await say(frame, message);

  await say(frame, REAL);
  await expect.poll(() => page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady', 'onClose']);
});

it('messages before WIDGET_READY are ignored', async () => {
  const { page, widget, config } = await openShop();
  const mounting = page.evaluate((all) => shop.open(all), { ...config, iframeUrl: `${widget.origin}/silent` });
  await expect.poll(() => widget.frames(page).length).toBe(1);
  const [frame] = widget.frames(page);
  await frame?.waitForFunction(() => 'say' in globalThis);

  await say(frame, FORGED);
  await say(frame, { type: 'WIDGET_READY', payload: {} });

  expect(await mounting).toBe('mounted');
  expect(await page.evaluate(() => shop.calls[0])).toEqual([['onReady', {}]]);
});

it('a page on an origin that is not allowed cannot mount', async () => {
  const { page, config, widget, expectProblem } = await openShop({ isListed: false });
  expectProblem(/Failed to load resource.* 403/);

  const outcome = await page.evaluate((all) => shop.open(all), config);

  expect(outcome).toMatchObject({ name: 'MountError', code: 'origin_not_allowed', status: 403 });
  expect(widget.site.requests).toEqual([]);
});
