import { expect, it } from 'vitest';

import { openShop } from '../../open-shop.js';
import { stopTime } from '../../widget/walk.js';

const UUID = expect.stringMatching(/^req_|^[0-9a-f-]{36}$/);

it('mount rejects without WIDGET_READY within 15 s and leaves nothing behind', async () => {
  const { page, widget, config } = await openShop({ prepare: ({ page }) => page.clock.install() });
  await stopTime(page);
  const mounting = page.evaluate((all) => shop.open(all), { ...config, iframeUrl: `${widget.origin}/silent` });
  await expect.poll(() => widget.frames(page).length).toBe(1);

  await page.clock.fastForward(14_000);
  expect(await page.locator('iframe').count()).toBe(1);
  await page.clock.fastForward(1_000);

  expect(await mounting).toMatchObject({
    name: 'MountError',
    code: 'timeout',
    status: null,
    message: expect.stringContaining(`${widget.origin} has not answered in 15 s.`),
    hint: expect.stringContaining(new URL(page.url()).origin),
  });
  expect(await page.locator('iframe').count()).toBe(0);
  expect(await page.evaluate((all) => shop.open(all), config)).toBe('mounted');
});

it('an unanswered bootstrap times out after 15 s', async () => {
  const { page, gate, config } = await openShop({ prepare: ({ page }) => page.clock.install() });
  const mounting = page.evaluate((all) => shop.open({ ...all, fetchImpl: shop.hangingFetch }), config);
  await expect.poll(() => page.evaluate(() => shop.hanging)).toEqual([{ aborted: false }]);

  await page.clock.fastForward(15_000);

  expect(await mounting).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining(`${gate.origins.sandbox} has not answered in 15 s.`),
  });
  expect(await page.evaluate(() => shop.hanging)).toEqual([{ aborted: true }]);
});

it('a key of the other mode is reported with its code and a hint', async () => {
  const { page, gate, config, expectProblem } = await openShop({ policy: { 'connect-src': 'http://127.0.0.1:*' } });
  expectProblem(/Failed to load resource.* 403/);
  const outcome = await page.evaluate((all) => shop.open(all), { ...config, apiBaseUrl: gate.origins.live });
  expect(outcome).toMatchObject({
    name: 'MountError',
    code: 'key_mode_mismatch',
    status: 403,
    requestId: UUID,
    hint: expect.stringContaining('sandbox'),
  });
});

it('an unknown secret is reported with status and request id', async () => {
  const { page, config, expectProblem } = await openShop();
  expectProblem(/Failed to load resource.* 404/);
  const clientSecret = `gsec_65f0c0ffee65f0c0ffee0001_${'a'.repeat(32)}`;
  const outcome = await page.evaluate((all) => shop.open(all), { ...config, clientSecret });
  expect(outcome).toMatchObject({
    code: 'bootstrap_failed',
    status: 404,
    requestId: UUID,
    message: expect.stringMatching(/^Refused with 404 session_not_found: .*Check publishableKey and clientSecret\.$/),
    hint: 'Check publishableKey and clientSecret.',
  });
  expect(JSON.stringify(outcome)).not.toContain(clientSecret);
});

it('an unreachable API is reported as such', async () => {
  const { page, config, expectProblem } = await openShop();
  expectProblem(/Failed to load resource: net::ERR_CONNECTION_REFUSED/);
  await page.route(/bootstrap/, (route) => route.abort('connectionrefused'));
  const outcome = await page.evaluate((all) => shop.open(all), config);
  expect(outcome).toMatchObject({ code: 'bootstrap_failed', status: null, requestId: null });
});

it('a response that is not from the API is reported as such', async () => {
  const { page, site, config } = await openShop({ policy: { 'connect-src': "'self'" } });
  site.serve('/api/v1/embed/bootstrap', '<h1>Welcome</h1>');
  const outcome = await page.evaluate((all) => shop.open(all), { ...config, apiBaseUrl: `${site.origin}/api//` });
  expect(site.requests).toContain('/api/v1/embed/bootstrap');
  expect(outcome).toMatchObject({ code: 'bootstrap_failed', status: 200 });
});

it.each([
  { directive: 'connect-src', host: 'sandbox' },
  { directive: 'frame-src', host: 'widget' },
])('a missing $directive is reported with the value to add', async ({ directive, host }) => {
  const { page, gate, widget, config, expectProblem } = await openShop({ policy: { [directive]: "'none'" } });
  expectProblem(/violates the following Content Security Policy directive/);
  if (directive === 'connect-src') expectProblem(/Fetch API cannot load/);
  const outcome = await page.evaluate((all) => shop.open(all), config);
  const origin = host === 'widget' ? widget.origin : gate.origins.sandbox;
  expect(outcome).toMatchObject({ name: 'MountError', code: 'blocked', hint: `Add ${origin} to its ${directive}.` });
  expect(await page.locator('iframe').count()).toBe(0);
});

it('an invalid target and a second mount reject with specific errors', async () => {
  const { page, config } = await openShop();
  const outcomes = await page.evaluate(async (all) => {
    const nothing = await shop.open(all, '#nothing');
    const noSelector = await shop.open(all, '#!');
    const noElement = await shop.open(all, null as unknown as string);
    const number = shop.make(all);
    const first = shop.mount(number);
    const second = await shop.mount(number);
    const third = await first.then(() => shop.mount(number));
    return [nothing, noSelector, noElement, await first, second, third];
  }, config);
  expect(outcomes).toMatchObject([
    { name: 'MountTargetError', message: expect.stringContaining('#nothing') },
    { name: 'MountTargetError' },
    { name: 'MountTargetError' },
    'mounted',
    { name: 'StateError' },
    { name: 'StateError' },
  ]);
  expect(await page.locator('iframe').count()).toBe(1);
});

it('a target removed during mount is reported as invalid', async () => {
  const { page, config } = await openShop();
  const outcome = await page.evaluate((all) => {
    const mounting = shop.open(all);
    document.querySelector('#checkout')?.remove();
    return mounting;
  }, config);
  expect(outcome).toMatchObject({ name: 'MountTargetError' });
});

it('invalid URLs and environments throw a ConfigError', async () => {
  const { page, config } = await openShop();
  const outcomes = await page.evaluate(
    async (all) => [
      await shop.open({ ...all, apiBaseUrl: 'http://' }),
      await shop.open({ ...all, iframeUrl: 'http://' }),
      await shop.open({ ...all, iframeUrl: 'javascript:parent.ran=1//' }),
      await shop.open({ ...all, apiBaseUrl: '//evil.example' }),
      await shop.open({ ...all, environment: 'prod' as 'production' }),
    ],
    config,
  );
  expect(outcomes).toMatchObject([
    { name: 'ConfigError', message: expect.stringContaining('apiBaseUrl') },
    { name: 'ConfigError', message: expect.stringContaining('iframeUrl') },
    { name: 'ConfigError', message: expect.stringContaining('iframeUrl') },
    { name: 'ConfigError', message: expect.stringContaining('apiBaseUrl') },
    { name: 'ConfigError', message: expect.stringContaining('prod') },
  ]);
});
