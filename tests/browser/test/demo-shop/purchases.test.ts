import { expect, it } from 'vitest';

import { openDemo, type DemoTab } from '../../open-demo.js';
import { goThrough } from '../../pay.js';

const OFFERS = { on_ramp: 'Buy USDC', off_ramp: 'Sell USDC', swap: 'Swap to USDC' } as const;
/** The shop fixes the buyer's wallet. */
const hasWallet = true;
/** In alphabetical order, since webhooks may arrive in any. */
const SETTLED = ['Money is moving', 'Opened', expect.stringMatching(/^Settled\s+gtx_/)];

it('a purchase in the iframe: the browser reports it finished, and the signed webhook settled', async () => {
  const tab = await openDemo();
  await tab.page.getByRole('button', { name: 'Open the checkout' }).click();
  await goThrough(tab.checkout, 'on_ramp', { hasWallet });
  await seesBoth(tab);
});

it.each([
  ['Kit blocks', 'on_ramp'],
  ['Kit blocks', 'off_ramp'],
  ['Kit blocks', 'swap'],
  ['React', 'on_ramp'],
] as const)('%s: a purchase with %s is settled by the signed webhook', async (way, flow) => {
  const tab = await openDemo();
  await tab.page.getByRole('tab', { name: way }).click();
  await tab.page.getByRole('button', { name: OFFERS[flow] }).click();
  await goThrough(tab.checkout, flow, { hasWallet });
  await seesBoth(tab);
});

it('a purchase on the full page returns to the shop and is settled by the signed webhook', async () => {
  const tab = await openDemo();
  const { page, demo } = tab;
  await page.getByRole('tab', { name: 'Full page' }).click();
  await page.getByRole('button', { name: 'Buy USDC' }).click();
  await page.waitForURL(`${demo.checkout}/`);

  await goThrough(page, 'on_ramp', { hasWallet });
  // The full page returns to the shop automatically, five seconds after the payment has settled.
  await page.waitForURL(`${demo.shop}/return?order=*`);
  await page.getByText('Welcome back.').waitFor();
  await seesBoth(tab);
});

it('a buyer who returns from a checkout in the page is on the same tab', async () => {
  const tab = await openDemo();
  const { page, demo } = tab;
  await page.getByRole('tab', { name: 'Kit blocks' }).click();
  await page.getByRole('button', { name: 'Buy USDC' }).click();
  await goThrough(tab.checkout, 'on_ramp', { hasWallet });
  await tab.settled();
  await tab.checkout.getByRole('link', { name: /^Return to / }).click();

  await page.waitForURL(`${demo.shop}/return?order=*`);
  await page.getByText('Welcome back.').waitFor();
  expect(await page.getByRole('tab', { name: 'Kit blocks' }).getAttribute('aria-selected')).toBe('true');
  await seesBoth(tab);
});

it('cancelling on the full page leads to the cancel page and cancels the session', async () => {
  const { page, demo, said } = await openDemo();
  await page.getByRole('tab', { name: 'Full page' }).click();
  await page.getByRole('button', { name: 'Buy USDC' }).click();
  await page.getByRole('button', { name: /^Cancel and return/ }).click();
  await page.getByRole('button', { name: 'Cancel order' }).click();

  await page.waitForURL(`${demo.shop}/cancel?order=*`);
  await page.getByText('You came back without paying.').waitFor();
  await expect.poll(() => said('Signed webhook').locator('.state').innerText()).toBe('cancelled');
  await expect.poll(() => said('The browser').locator('.state').innerText()).toBe('closed');
});

async function seesBoth({ said, settled }: DemoTab): Promise<void> {
  await settled();
  await said('The browser').getByText('finished', { exact: true }).waitFor();
  const received = async () => (await said('Signed webhook').locator('li').allInnerTexts()).toSorted();
  await expect.poll(received).toEqual(SETTLED);
}
