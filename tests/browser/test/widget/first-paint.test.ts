import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';
import { atStep, press } from '../../widget/walk.js';

/** Core Web Vitals rate up to 0.1 as good. */
const SHIFT_MAX = 0.05;

it('the partner’s name is shown before the script has run', async () => {
  let named = '';
  await openFullPage({
    tab: { viewport: { width: 390, height: 844 } },
    prepare: async ({ page }) => {
      await page.route('**/*.js', async (route) => {
        named ||= await page.locator('.top').innerText();
        await route.continue();
      });
    },
  });
  expect(named).toContain('Demo shop');
});

it('the layout does not shift while the order loads, and the page title names the step', async () => {
  const { page } = await openFullPage({
    tab: { viewport: { width: 390, height: 844 } },
    session: { flow: 'on_ramp' },
    prepare: async ({ page: tab }) => {
      await tab.addInitScript(() => {
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            globalThis.shifts = (globalThis.shifts ?? 0) + (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
      });
    },
  });
  await page.locator('.method').first().waitFor();
  expect(await page.evaluate(() => globalThis.shifts ?? 0)).toBeLessThan(SHIFT_MAX);
  expect(await page.title()).toBe('Buy crypto · Demo shop');
  expect(await page.locator('.steps').getAttribute('aria-label')).toBe('Step 1 of 4');
  await press(page, 'Continue');
  await atStep(page, 'Where should we send it?');
  expect(await page.title()).toBe('Where should we send it? · Demo shop');
});

it('touch targets are at least 44 px high on a phone', async () => {
  const { page } = await openFullPage({ tab: { viewport: { width: 390, height: 844 }, hasTouch: true } });
  await page.locator('.method').first().waitFor();
  const low = await page.evaluate(() =>
    [...document.querySelectorAll('button, a, summary, select, .tab, .method')]
      // Rounded to a tenth: layout uses 1/64 px, and an animated box reads as 43.99997.
      .map((one) => `${one.className || one.tagName} ${one.getBoundingClientRect().height.toFixed(1)}`)
      .filter((line) => Number(line.split(' ').at(-1)) < 44),
  );
  expect(low).toEqual([]);
});

declare global {
  // Set by the observer in the page.
  var shifts: number | undefined;
}
