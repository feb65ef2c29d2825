import { expect, it } from 'vitest';

import { openFullPage, openInFrame } from '../../widget/open-checkout.js';

it.each([
  ['es-MX', 'EUR 1,234.50'],
  ['de-CH', 'EUR 1’234.50'],
  ['en-IN', '€1,234.50'],
])('amounts are written as in the region of the browser: %s', async (locale, amount) => {
  const { page } = await openFullPage({ session: { flow: 'on_ramp', amount: '1234.50' }, tab: { locale } });
  const price = page.locator('.price bdi').first();
  await price.waitFor();
  expect((await price.innerText()).replaceAll(/\s/g, ' ').replaceAll("'", '’')).toBe(amount);
});

it('the font size of the browser applies', async () => {
  const { ui } = await openInFrame({
    session: { flow: 'on_ramp' },
    prepare: async ({ context, page }) => {
      const devtools = await context.newCDPSession(page);
      await devtools.send('Page.setFontSizes', { fontSizes: { standard: 24 } });
    },
  });
  await ui.locator('.price bdi').first().waitFor();
  expect(await ui.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('24px');
});
