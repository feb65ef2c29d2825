import { expect, it } from 'vitest';
import { openFullPage } from '../../widget/open-checkout.js';
import { toPayment } from '../../widget/walk.js';
import type { Page } from 'playwright-core';

const PHONE = { width: 390, height: 844 };
const SMALL_PHONE = { width: 320, height: 568 };

const edge = async (page: Page, selector: string, side: 'top' | 'bottom'): Promise<number> =>
  page.locator(selector).evaluate((element, at) => element.getBoundingClientRect()[at], side);

it.each([null, 'on_ramp', 'off_ramp', 'swap'] as const)('the first screen fits a phone: %s', async (flow) => {
  const { ui, page } = await openFullPage({ session: flow === null ? {} : { flow }, tab: { viewport: PHONE } });
  await ui.getByText(/^Price held for/).waitFor();
  expect(await edge(page, '[type=submit]', 'bottom')).toBeLessThan(640);
});

it('the card field begins near the top, and Pay is in view without scrolling', async () => {
  const { ui, page } = await openFullPage({ session: { flow: 'on_ramp' }, tab: { viewport: PHONE } });
  await toPayment(ui);
  await ui.getByLabel('Card number').waitFor();
  expect(await edge(page, '#card_number', 'top')).toBeLessThan(300);
  expect(await edge(page, '[type=submit]', 'bottom')).toBeLessThanOrEqual(PHONE.height);
});

it('on a small phone the same takes one scroll at most', async () => {
  const { ui, page } = await openFullPage({ session: {}, tab: { viewport: SMALL_PHONE } });
  await ui.getByText(/^Price held for/).waitFor();
  expect(await edge(page, '[type=submit]', 'bottom')).toBeLessThan(2 * SMALL_PHONE.height);
  await toPayment(ui);
  await ui.getByLabel('Card number').waitFor();
  expect(await edge(page, '#card_number', 'bottom')).toBeLessThan(SMALL_PHONE.height);
  expect(await edge(page, '[type=submit]', 'bottom')).toBeLessThanOrEqual(SMALL_PHONE.height);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(SMALL_PHONE.width);
});
