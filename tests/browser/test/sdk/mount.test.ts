import { expect, it } from 'vitest';

import { heardBy, say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

it('mount shows the checkout, sends it its token and resolves once it is ready', async () => {
  const { page, gate, widget, config, site } = await openShop();
  const session = await gate.createSession({ amount: '25.50', flow: 'on_ramp', target_token: 'USDC' });
  const { client_secret: clientSecret } = session;

  const outcome = await page.evaluate((all) => shop.open(all), { ...config, clientSecret, theme: 'dark' as const });

  expect(outcome).toBe('mounted');
  const [frame] = widget.frames(page);
  expect(await heardBy(frame)).toEqual([
    {
      origin: site.origin,
      data: {
        type: 'INIT_CONFIG',
        payload: {
          embedToken: expect.stringMatching(/^eyJ/),
          available: true,
          unavailableReason: null,
          unavailableDetail: null,
          flow: 'on_ramp',
          theme: 'dark',
          amount: '25.50',
          currency: 'EUR',
          targetToken: 'USDC',
          targetNetwork: null,
          returnUrl: `${site.origin}/done`,
          locale: 'en',
          height: null,
          branding: null,
          capabilities: expect.objectContaining({ flows: ['on_ramp'] }),
        },
      },
    },
  ]);
});

it('the frame is as specified, and its URL contains neither secret nor token', async () => {
  const { page, gate, widget, config } = await openShop();
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'off_ramp' });

  await page.evaluate((all) => shop.open(all), {
    ...config,
    clientSecret,
    theme: 'light' as const,
    locale: 'ar',
    height: 720,
    permissions: ['camera'],
  });

  const frame = page.locator('#checkout > iframe[data-0gate="ramp"]');
  const address = new URL((await frame.getAttribute('src')) ?? '');
  expect(address.origin + address.pathname).toBe(`${widget.origin}/embed`);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    publishableKey: gate.keys.publishable,
    flow: 'off_ramp',
    theme: 'light',
    locale: 'ar',
  });
  expect(await frame.getAttribute('allow')).toBe('payment *; camera');
  expect(await frame.getAttribute('title')).toBe('صفحة الدفع');
  const looks = await frame.evaluate((element) => {
    const { width, height, maxWidth, borderTopWidth, colorScheme } = getComputedStyle(element);
    const { left, right } = element.getBoundingClientRect();
    const room = element.parentElement?.getBoundingClientRect();
    const isCentred = room !== undefined && Math.abs(left - room.left - (room.right - right)) < 1;
    return { width, height, maxWidth, borderTopWidth, colorScheme, isCentred };
  });
  expect(looks).toEqual({
    width: '440px',
    height: '720px',
    maxWidth: '440px',
    borderTopWidth: '0px',
    colorScheme: 'normal',
    isCentred: true,
  });
});

it.each([
  ['de-AT', 'Checkout'],
  ['ar_EG', 'صفحة الدفع'],
  ['AR', 'صفحة الدفع'],
  ['arn', 'Checkout'],
  ['fr-CA', 'Paiement'],
])('the title of the frame is localized, for %s: %s', async (locale, title) => {
  const { page, config } = await openShop();
  await page.evaluate((all) => shop.open(all), { ...config, locale });
  expect(await page.locator('#checkout > iframe').getAttribute('title')).toBe(title);
});

it('the page’s flow takes precedence over that of the session', async () => {
  const { page, gate, widget, config } = await openShop();
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp' });
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret, flow: 'swap' as const });
  const [frame] = widget.frames(page);
  expect(new URL(frame?.url() ?? '').searchParams.get('flow')).toBe('swap');
  const [received] = await heardBy(frame);
  expect(received?.data.payload).toMatchObject({ flow: 'swap' });
});

it('the page’s configuration fills in terms that the session leaves open', async () => {
  const { page, widget, config } = await openShop();
  const wished = { targetToken: 'ETH', targetNetwork: 'ethereum', returnUrl: 'https://shop.example/back' };
  await page.evaluate((all) => shop.open(all), { ...config, ...wished });
  const [received] = await heardBy(widget.frames(page)[0]);
  expect(received?.data.payload).toMatchObject({ ...wished, amount: null, currency: null, flow: null, theme: null });
});

it('an iframeUrl with a path is used unchanged', async () => {
  const { page, widget, config } = await openShop();
  widget.site.serve('/of/ours', { body: '', headers: { location: '/embed' }, status: 302 });
  const outcome = await page.evaluate((all) => shop.open(all), {
    ...config,
    iframeUrl: `${widget.origin}/of/ours?a=b`,
  });
  expect(outcome).toBe('mounted');
  expect(widget.site.requests[0]).toMatch(/^\/of\/ours\?a=b&publishableKey=pk_test_/);
});

it('messages of the checkout call the handlers, without undocumented members', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  const [frame] = widget.frames(page);
  const failure = { code: 'payment_declined', message: 'Declined', intentId: 'i1' };
  const success = { txId: 'gtx_1', sessionId: 's1', amount: '1.00', currency: 'EUR' };

  await say(frame, { type: 'PAYMENT_ERROR', payload: { ...failure, cardNumber: '4242' } });
  await say(frame, { type: 'PAYMENT_SUCCESS', payload: { ...success, extra: 1 } });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'of_a_later_version' } });

  await expect
    .poll(() => page.evaluate(() => shop.calls[0]))
    .toEqual([
      ['onReady', { capabilities: ['card'] }],
      ['onError', failure],
      ['onSuccess', success],
      ['onClose', { reason: 'user_close' }],
      ['onClose', { reason: 'unknown' }],
    ]);
});

it('onSuccess is called once per mount, however often the checkout reports it', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  for (const txId of ['gtx_1', 'gtx_1', 'gtx_2'])
    await say(widget.frames(page)[0], { type: 'PAYMENT_SUCCESS', payload: { txId } });
  await say(widget.frames(page)[0], { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });

  await expect.poll(() => page.evaluate(() => shop.calls[0]?.at(-1)?.[0])).toBe('onClose');
  expect(await page.evaluate(() => shop.calls[0]?.map(([name]) => name))).toEqual(['onReady', 'onSuccess', 'onClose']);

  await page.evaluate(() => shop.ramp(0).unmount());
  await page.evaluate(() => shop.mount(0));
  await say(widget.frames(page)[0], { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_3' } });
  await expect.poll(() => page.evaluate(() => shop.calls[0]?.at(-1))).toEqual(['onSuccess', { txId: 'gtx_3' }]);
});

it('an unavailable checkout is shown and calls onUnavailable only', async () => {
  const { page, gate, widget, config } = await openShop();
  const { id, client_secret: clientSecret } = await gate.createSession();
  await gate.cancelSession(id);

  expect(await page.evaluate((all) => shop.open(all), { ...config, clientSecret })).toBe('mounted');

  const [frame] = widget.frames(page);
  const [received] = await heardBy(frame);
  expect(received?.data.payload).toMatchObject({ available: false, unavailableReason: 'session_cancelled' });
  await say(frame, { type: 'PAYMENT_ERROR', payload: { code: 'error', message: 'No' } });
  await say(frame, { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'session_expired' } });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'unknown' } });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  await expect
    .poll(() => page.evaluate(() => shop.calls[0]))
    .toEqual([
      [
        'onUnavailable',
        { reason: 'session_cancelled', message: 'The checkout is not available: session cancelled.', detail: null },
      ],
      ['onClose', { reason: 'user_close' }],
    ]);
});

it('a checkout that reloads is configured again without calling handlers', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  await page.evaluate(() => shop.ramp(0).setTheme('dark'));
  const [frame] = widget.frames(page);

  await frame?.evaluate(() => location.reload());

  await expect
    .poll(async () => (await heardBy(frame)).map(({ data }) => data))
    .toMatchObject([{ type: 'INIT_CONFIG', payload: { theme: 'dark', embedToken: expect.any(String) } }]);
  expect(await page.evaluate(() => shop.calls[0])).toEqual([['onReady', { capabilities: ['card'] }]]);
});
