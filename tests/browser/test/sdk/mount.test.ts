import { expect, it } from 'vitest';

import { heardBy, say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

it('mount shows the checkout, hands it its token and resolves once it listens', async () => {
  const { page, gate, widget, config, site } = await openShop();
  const session = await gate.createSession({ amount: '25.50', flow: 'on_ramp', target_token: 'USDC' });
  const { client_secret: clientSecret } = session;

  const outcome = await page.evaluate((all) => shop.open(all), { ...config, clientSecret, theme: 'dark' as const });

  expect(outcome).toBe('mounted');
  const [frame] = widget.frames(page);
  const [told, ...others] = await heardBy(frame);
  expect(others).toEqual([]);
  expect(told).toMatchObject({
    origin: site.origin,
    data: {
      type: 'INIT_CONFIG',
      payload: {
        embedToken: expect.stringMatching(/^eyJ/),
        available: true,
        unavailableReason: null,
        flow: 'on_ramp',
        theme: 'dark',
        amount: '25.50',
        currency: 'EUR',
        targetToken: 'USDC',
        targetNetwork: null,
        returnUrl: `${site.origin}/done`,
        locale: 'en',
        branding: null,
      },
    },
  });
});

it('what the checkout says calls the handlers', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);
  const [frame] = widget.frames(page);

  await say(frame, {
    type: 'PAYMENT_ERROR',
    payload: { code: 'payment_declined', message: 'Declined', intentId: 'i1' },
  });
  await say(frame, {
    type: 'PAYMENT_SUCCESS',
    payload: { txId: 'gtx_1', sessionId: 's1', amount: '1.00', currency: 'EUR' },
  });
  await say(frame, { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });

  await expect
    .poll(() => page.evaluate(() => shop.calls[0]))
    .toEqual([
      ['onReady', { capabilities: ['card'] }],
      ['onError', { code: 'payment_declined', message: 'Declined', intentId: 'i1' }],
      ['onSuccess', { txId: 'gtx_1', sessionId: 's1', amount: '1.00', currency: 'EUR' }],
      ['onClose', { reason: 'user_close' }],
    ]);
});
