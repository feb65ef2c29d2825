import { expect, it } from 'vitest';

import { heardBy, say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

it('setTheme and updateConfig reach a mounted checkout', async () => {
  const { page, widget, config } = await openShop();
  await page.evaluate((all) => shop.open(all), config);

  await page.evaluate(() => {
    shop.ramp(0).setTheme('dark');
    shop.ramp(0).updateConfig({ amount: '5.00', targetToken: 'ETH' });
  });

  await expect
    .poll(async () => (await heardBy(widget.frames(page)[0])).slice(1).map(({ data }) => data))
    .toEqual([
      { type: 'SET_THEME', payload: { theme: 'dark' } },
      { type: 'UPDATE_CONFIG', payload: { amount: '5.00', targetToken: 'ETH' } },
    ]);
});

it('setTheme and updateConfig do nothing before mount and after unmount', async () => {
  const { page, widget, config } = await openShop();

  await page.evaluate(async (all) => {
    const number = shop.make(all);
    shop.ramp(number).setTheme('dark');
    shop.ramp(number).updateConfig({ amount: '5.00' });
    await shop.mount(number);
    shop.ramp(number).unmount();
    shop.ramp(number).setTheme('dark');
    shop.ramp(number).updateConfig({ amount: '5.00' });
    await shop.mount(number);
  }, config);

  const heard = await heardBy(widget.frames(page)[0]);
  expect(heard.map(({ data }) => [data.type, data.payload['theme'], data.payload['amount']])).toEqual([
    ['INIT_CONFIG', null, null],
  ]);
});

it('during mount they change the initial configuration', async () => {
  const { page, widget, config } = await openShop();

  await page.evaluate(async (all) => {
    const number = shop.make(all);
    const mounting = shop.mount(number);
    shop.ramp(number).setTheme('dark');
    shop.ramp(number).updateConfig({ amount: '5.00', currency: 'EUR' });
    await mounting;
  }, config);

  const heard = await heardBy(widget.frames(page)[0]);
  expect(heard.map(({ data }) => data)).toMatchObject([
    { type: 'INIT_CONFIG', payload: { theme: 'dark', amount: '5.00', currency: 'EUR' } },
  ]);
});

it('two checkouts on a page do not mix', async () => {
  const { page, gate, widget, config } = await openShop();
  const [one, other] = [await gate.createSession({ amount: '1.00' }), await gate.createSession({ amount: '2.00' })];
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret: one.client_secret });
  await page.evaluate((all) => shop.open(all, '#other'), { ...config, clientSecret: other.client_secret });
  const [first, second] = widget.frames(page);

  await say(second, { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_2' } });
  await say(first, { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  await page.evaluate(() => shop.ramp(1).setTheme('dark'));

  await expect
    .poll(() => page.evaluate(() => shop.calls.map((calls) => calls.map(([name]) => name))))
    .toEqual([
      ['onReady', 'onClose'],
      ['onReady', 'onSuccess'],
    ]);
  const received = async (frame: typeof first): Promise<unknown> =>
    (await heardBy(frame)).map(({ data }) => [data.type, data.payload['amount']]);
  await expect
    .poll(() => received(second))
    .toEqual([
      ['INIT_CONFIG', '2.00'],
      ['SET_THEME', undefined],
    ]);
  expect(await received(first)).toEqual([['INIT_CONFIG', '1.00']]);

  await page.evaluate(() => shop.ramp(0).unmount());
  await say(second, { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  await expect.poll(() => page.evaluate(() => shop.calls[1]?.at(-1)?.[0])).toBe('onClose');
});

it('an error thrown by a handler is reported and does not end the checkout', async () => {
  const { page, widget, config, expectProblem } = await openShop();
  expectProblem(/a handler of the page/);
  await page.evaluate(async (all) => {
    const ramp = new shop.sdk.GateRamp(all);
    shop.calls.push([]);
    await ramp.mount('#checkout', {
      onReady: () => {
        throw new Error('a handler of the page');
      },
      onClose: (close) => shop.calls[0]?.push(['onClose', close]),
    });
  }, config);
  await say(widget.frames(page)[0], { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } });
  await expect.poll(() => page.evaluate(() => shop.calls[0])).toEqual([['onClose', { reason: 'user_close' }]]);
});
