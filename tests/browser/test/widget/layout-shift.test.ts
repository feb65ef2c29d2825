import type { Frame, Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { openShop } from '../../open-shop.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { WALLET } from '../../test-values.js';
import { atStep, holdReads, payByCard } from '../../widget/walk.js';

/** Core Web Vitals rate up to 0.1 as good. */
const SHIFT_MAX = 0.05;

/** Longer than the time after an input in which layout shifts do not count. */
const SLOW_MS = 700;

/** The layout shift of a document so far, without shifts caused by input. */
const shiftOf = (document: Page | Frame): Promise<number> =>
  document.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const add = (entries: PerformanceEntryList): void => {
          for (const entry of entries) {
            const isByHand = 'hadRecentInput' in entry && entry.hadRecentInput === true;
            if (!isByHand && 'value' in entry && typeof entry.value === 'number') sum += entry.value;
          }
        };
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => {
          add(observer.takeRecords());
          resolve(sum);
        }, 100);
      }),
  );

async function slowly(page: Page): Promise<void> {
  await page.context().route(/\/v1\/embed\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    await route.continue();
  });
}

it.each([390, 1280])('the layout does not shift up to the payment with slow responses, at %i px', async (width) => {
  const { ui, page } = await openFullPage({
    session: { flow: 'on_ramp' },
    tab: { viewport: { width, height: 844 } },
    prepare: (tab) => slowly(tab.page),
  });
  await holdReads(page);
  await payByCard(ui);
  await atStep(ui, 'Your order is on its way');
  expect(await shiftOf(page)).toBeLessThan(SHIFT_MAX);
});

it('the layout does not shift in the frame of a page or below it', async () => {
  const shop = await openShop({ isReal: true, tab: { viewport: { width: 390, height: 844 } } });
  const { page, gate, config } = shop;
  await slowly(page);
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp', wallet_address: WALLET });
  await page.evaluate(() => document.querySelector('#other')?.append('What the page has below its checkout.'));
  await page.evaluate((all) => globalThis.shop.open(all), { ...config, clientSecret });
  await page
    .frameLocator('iframe')
    .getByText(/^Price held for/)
    .first()
    .waitFor();
  await page.frameLocator('iframe').locator('.price .amount, .price').first().waitFor();
  await expect.poll(() => page.frameLocator('iframe').locator('.bone').count()).toBe(0);
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error('The checkout is not on the page.');
  expect(await shiftOf(frame)).toBeLessThan(SHIFT_MAX);
});
