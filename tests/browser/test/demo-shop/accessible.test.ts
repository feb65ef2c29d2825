import { expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { openDemo } from '../../open-demo.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 320, height: 640 };

it.each([
  ['light', WIDE],
  ['dark', WIDE],
  ['light', NARROW],
  ['dark', NARROW],
] as const)(
  'axe finds no violations in the shop in %s colours at %o, before and after a choice',
  async (colorScheme, viewport) => {
    const { page, said } = await openDemo({ colorScheme, viewport });
    await page.getByRole('button', { name: 'Open the checkout' }).waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Unavailable' }).click();
    await said('Signed webhook').getByText('cancelled', { exact: true }).waitFor();
    await said('The browser').getByText('session_cancelled').first().waitFor();
    await expectAccessible(page);
  },
);

it('arrow keys move between tabs, and only the selected tab is in the tab order', async () => {
  const { page } = await openDemo();
  const tab = (name: string) => page.getByRole('tab', { name });
  await tab('In an iframe').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');

  await expect.poll(() => tab('Full page').getAttribute('aria-selected')).toBe('true');
  await expect.poll(() => tab('Full page').evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.getByRole('tab').evaluateAll((all) => all.map((one) => one.getAttribute('tabindex')))).toEqual([
    '-1',
    '-1',
    '0',
    '-1',
  ]);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => tab('In an iframe').getAttribute('aria-selected')).toBe('true');
});
