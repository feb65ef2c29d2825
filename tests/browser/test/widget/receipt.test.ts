import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { openFullPage } from '../../widget/open-checkout.js';
import { atStep, holdReturn, payByCard, press, underWay } from '../../widget/walk.js';

it('the receipt shows the amounts paid and received, also when the session is reopened', async () => {
  const checkout = await openFullPage({ session: { flow: 'on_ramp' } });
  const { page } = checkout;
  await holdReturn(page);
  await payByCard(page);
  await underWay(page);
  await checkout.pass(60);
  await atStep(page, 'Done!');
  await press(page, 'Stay here');
  const receipt = await linesOf(page);
  expect(receipt).toMatch(/You paid €100.*You received [\d.]+ USDC on Base/);
  expect(receipt).toMatch(/Fees €1\.05.*Rate 1 EUR = [\d.]+ USDC.*Paid with Card.*To wallet 0x5290…9EE7.*Date .*\d/);
  expect(receipt).toMatch(/Reference gtx_\w+.*Transaction 0x[0-9a-f]{4}…[0-9a-f]{4}/);
  expect(await page.getByRole('link', { name: 'View on the explorer' }).getAttribute('href')).toMatch(/^https:.*0x/);
  await page.getByText('Steps', { exact: true }).click();
  await page.getByText('3 of 3 confirmations').waitFor();
  expect(await page.locator('.stage-time').count()).toBe(3);
  await expectAccessible(page);
  await page.reload();
  await atStep(page, 'This order is complete');
  expect(await linesOf(page)).toBe(receipt);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.receipt').isVisible()).toBe(true);
  expect(await page.locator('.button:visible').count()).toBe(0);
});

async function linesOf(page: Page): Promise<string> {
  const text = await page.locator('.receipt').evaluate((one) => {
    for (const steps of one.querySelectorAll('details')) steps.open = false;
    return one instanceof HTMLElement ? one.innerText : '';
  });
  return text.replaceAll(/\s+/g, ' ');
}
