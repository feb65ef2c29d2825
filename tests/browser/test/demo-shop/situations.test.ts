import { expect, it } from 'vitest';

import { openDemo } from '../../open-demo.js';
import { goThrough } from '../../situations.js';

it.each([
  ['declined', 'after a declined card the order stays open, and another card pays for it'],
  ['secure', 'a payment continues after a one-time code'],
  ['identity', 'a purchase of 14.50 EUR requires identity verification'],
  [
    'unavailable',
    'the checkout of a cancelled session opens, and the page and the webhook report that it is cancelled',
  ],
  ['expired', 'the checkout of an expired session opens, and the page and the webhook report that it has expired'],
  ['refund', 'a payment that is refunded after it settled is announced by a signed webhook'],
  ['bank_transfer', 'a bank transfer settles without another step of the buyer'],
  ['slow', 'with a slow provider the checkout says that the price is late, and shows it when it arrives'],
] as const)('%s: %s', async (situation, _) => {
  await goThrough(situation, await openDemo());
});

it('only the orders of this tab are listed, even after a visit to another page', async () => {
  const { page, demo } = await openDemo();
  await fetch(`${demo.shop}/sell`, { method: 'POST' });
  await page.getByRole('button', { name: 'Open the checkout' }).click();
  await page.locator('.order').getByText('Opened').waitFor();
  expect(await page.locator('.order').count()).toBe(1);
  await page.reload();
  await page.locator('.order').getByText('Opened').waitFor();
  expect(await page.locator('.order').count()).toBe(1);
});
