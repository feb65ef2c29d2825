import { expect, it } from 'vitest';

import { openShop } from '../../open-shop.js';
import { openTab } from '../../open-tab.js';
import { goThrough, payByCard } from '../../pay.js';
import { CARDS } from '../../test-values.js';
import { servePages } from '../../serve-pages.js';

/** The checkout polls its order every few seconds. */

it('a declined card is reported, and another succeeds in the same session', async () => {
  const { page, gate, config } = await openShop({ isReal: true });
  const { id, client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp' });
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret });
  const checkout = page.frameLocator('iframe');
  await goThrough(checkout, 'on_ramp', { card: CARDS.declines });
  await checkout.getByRole('alert').getByText('Your card was declined.').waitFor();
  await payByCard(checkout, CARDS.succeeds);

  await gate.settle(id);
  await expect.poll(() => gate.webhooksOf(id)).toContain('gate_session.failed');
  const names = (): Promise<unknown> => page.evaluate(() => shop.calls[0]?.map(([name]) => name));
  await expect.poll(names).toEqual(['onReady', 'onError', 'onSuccess']);
});

it('an amount changed by the browser is refused with a message, and nothing is paid', async () => {
  const { page, gate, config, expectProblem } = await openShop({ isReal: true });
  expectProblem(/Failed to load resource.* 400/);
  const { id, client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp' });
  await page.route('**/v1/embed/intents', async (route) => {
    const body: object = route.request().postDataJSON();
    await route.continue({ postData: { ...body, amount: '1.00' } });
  });
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret });
  const checkout = page.frameLocator('iframe');

  await goThrough(checkout, 'on_ramp');

  await checkout.getByRole('alert').getByText('This amount is not the one that the order was opened with.').waitFor();
  expect(await gate.webhooksOf(id)).not.toContain('gate_session.processing');
});

it('the page’s configuration changes no term of the session', async () => {
  const { page, gate, config } = await openShop({ isReal: true });
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp', amount: '25.50' });
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret });
  const checkout = page.frameLocator('iframe');
  await checkout.getByText('€25.50').first().waitFor();

  await page.evaluate(() => {
    shop.ramp(0).updateConfig({ amount: '1.00', currency: 'USD' });
    shop.ramp(0).setTheme('dark');
  });

  // The theme was set after the configuration, so the configuration has been processed.
  await checkout.locator('html[data-theme="dark"]').waitFor();
  expect(await checkout.getByText('€25.50').count()).toBeGreaterThan(0);
  expect(await checkout.getByText('1.00', { exact: true }).count()).toBe(0);
});

it('two checkouts on one page do not mix', async () => {
  const { page, gate, config } = await openShop({ isReal: true });
  const [one, other] = [await gate.createSession({ flow: 'on_ramp' }), await gate.createSession({ flow: 'on_ramp' })];
  await page.evaluate((all) => shop.open(all), { ...config, clientSecret: one.client_secret });
  await page.evaluate((all) => shop.open(all, '#other'), { ...config, clientSecret: other.client_secret });

  await goThrough(page.frameLocator('#other iframe'), 'on_ramp');

  await gate.settle(other.id);
  const names = (): Promise<unknown> => page.evaluate(() => shop.calls.map((calls) => calls.map(([name]) => name)));
  await expect.poll(names).toEqual([['onReady'], ['onReady', 'onSuccess']]);
  await expect.poll(() => gate.webhooksOf(one.id)).toEqual(['gate_session.created']);
});

it.each(['cancelled', 'completed'])(
  'a session that is %s is shown as such and calls onUnavailable only',
  async (status) => {
    const { page, gate, config } = await openShop({ isReal: true });
    const { id, client_secret: clientSecret } = await gate.createSession();
    if (status === 'cancelled') await gate.cancelSession(id);
    else await gate.payFor(id);

    expect(await page.evaluate((all) => shop.open(all), { ...config, clientSecret })).toBe('mounted');

    await page
      .frameLocator('iframe')
      .getByRole('heading', { name: /^This order (was cancelled|is complete)$/ })
      .waitFor();
    const calls = await page.evaluate(() => shop.calls[0]);
    expect(calls).toEqual([['onUnavailable', expect.objectContaining({ reason: `session_${status}` })]]);
  },
);

it('a page on an origin that is not allowed can neither bootstrap nor frame the checkout', async () => {
  const { page, gate, config, expectProblem } = await openShop({ isReal: true, isListed: false });
  expectProblem(/Failed to load resource.* 403/);
  const { client_secret: clientSecret } = await gate.createSession({ return_url: 'http://127.0.0.1:9/done' });
  const outcome = await page.evaluate((all) => shop.open(all), { ...config, clientSecret });
  expect(outcome).toMatchObject({ code: 'origin_not_allowed' });

  const embed = `${gate.origins.sandboxWidget}/embed?publishableKey=${gate.keys.publishable}`;
  const stranger = await servePages({
    '/': `<!doctype html><html lang="en"><title>Stranger</title><link rel="icon" href="data:,"><iframe src="${embed}"></iframe></html>`,
  });
  const tab = await openTab();
  tab.expectProblem(/violates the following Content Security Policy directive: "frame-ancestors/);
  await tab.page.goto(stranger.origin);
  expect(await tab.page.frameLocator('iframe').locator('#root').count()).toBe(0);
});
