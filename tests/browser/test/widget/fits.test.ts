import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { CARDS, WALLET } from '../../test-values.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { atStep, holdReturn, press, toPayment, underWay } from '../../widget/walk.js';

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

it('an order with nothing to choose begins at the payment, and another way to pay is one tap away', async () => {
  const fixed = { flow: 'on_ramp', target_token: 'USDC', target_network: 'base', wallet_address: WALLET };
  const checkout = await openFullPage({ session: fixed, tab: { viewport: PHONE } });
  const { ui, page } = checkout;
  await atStep(ui, 'Pay by card');
  await page.getByRole('img', { name: 'Step 1 of 2' }).waitFor();
  expect(await ui.getByRole('button', { name: 'Back' }).count()).toBe(0);
  await press(ui, 'Choose another way to pay');
  await ui.getByRole('radio', { name: /^Bank transfer/ }).check();
  await press(ui, 'Continue');
  await atStep(ui, 'Pay by bank transfer');
  await press(ui, 'Choose another way to pay');
  await ui.getByRole('radio', { name: /^Card/ }).check();
  await press(ui, 'Continue');
  await holdReturn(page);
  await ui.getByLabel('Card number').fill(CARDS.succeeds);
  await ui.getByLabel('Expiry date').fill('12/34');
  await ui.getByLabel('Security code').fill('123');
  await press(ui, /^Pay €/);
  await underWay(ui);
});
