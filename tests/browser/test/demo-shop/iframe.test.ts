import { expect, it } from 'vitest';

import { openDemo } from '../../open-demo.js';
import { CARDS, payByCard } from '../../pay.js';

it('a purchase in the iframe: the browser says finished, and the signed webhook says settled', async () => {
  const { page, checkout, said } = await openDemo();

  await page.getByRole('button', { name: 'Open the checkout' }).click();
  await checkout.getByRole('button', { name: 'Continue' }).click();
  await payByCard(checkout, CARDS.succeeds);

  await said('The browser').getByText('finished', { exact: true }).waitFor();
  await said('Signed webhook').getByText('settled', { exact: true }).waitFor();
  expect(await said('Signed webhook').locator('li').allInnerTexts()).toEqual([
    'Opened',
    'Money is moving',
    expect.stringMatching(/^Settled: gtx_/),
  ]);
}, 40_000);
