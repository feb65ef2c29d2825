import { expect, it } from 'vitest';

import { bundlePage } from '../../bundle-page.js';
import { heardBy, say } from '../../fake-widget.js';
import { openShop } from '../../open-shop.js';

it("under default-src 'none' it needs only the two documented directives", async () => {
  const sdk = await bundlePage('shop.ts');
  const { page, widget, config, expectProblem } = await openShop({
    policy: { 'script-src': "'none'", 'require-trusted-types-for': "'script'", 'trusted-types': "'none'" },
    // Injected by the test, which is exempt from the page's policy, since the page's own script is blocked.
    prepare: ({ page }) => page.addInitScript({ content: String(sdk.body) }),
  });
  expectProblem(/Loading the script '.*shop\.js' violates/);

  expect(await page.evaluate((all) => shop.open(all), config)).toBe('mounted');

  const frame = page.locator('iframe');
  expect(await frame.evaluate((element) => getComputedStyle(element).maxWidth)).toBe('440px');
  await say(widget.frames(page)[0], { type: 'PAYMENT_SUCCESS', payload: { txId: 'gtx_1' } });
  await expect.poll(() => page.evaluate(() => shop.calls[0]?.at(-1))).toEqual(['onSuccess', { txId: 'gtx_1' }]);
  await page.evaluate(() => shop.ramp(0).setTheme('dark'));
  await expect.poll(async () => (await heardBy(widget.frames(page)[0])).length).toBe(2);
});
