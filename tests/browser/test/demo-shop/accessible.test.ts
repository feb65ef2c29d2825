import { expect, it } from 'vitest';

import { expectAccessible } from '../../accessible.js';
import { openDemo } from '../../open-demo.js';
import { openTab } from '../../open-tab.js';
import { picturePath } from '../../pictures.js';
import { startGate } from '../../start-gate.js';

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

it('without the demo partner the shop only says what it needs', async () => {
  const gate = await startGate({ shopOrigins: ['https://shop.example'] });
  for (const [look, viewport] of [
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const) {
    const { page } = await openTab({ viewport });
    await page.goto(`${gate.origins.demo}/`);
    await page.getByText('It needs the demo partner').waitFor();
    for (const name of ['Try a situation', 'Your orders', 'Test data'])
      expect(await page.getByRole('heading', { name }).count()).toBe(0);
    await expectAccessible(page);
    await page.screenshot({ path: picturePath(`demo-shop-closed-${look}`) });
  }
});

it('all tabs are in view on a phone', async () => {
  const { page } = await openDemo({ viewport: NARROW });
  await page.getByRole('tab').first().waitFor();
  const ends = await page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().right));
  expect(ends).toHaveLength(4);
  expect(Math.max(...ends)).toBeLessThanOrEqual(NARROW.width);
  await page.screenshot({ path: picturePath('demo-shop-tabs-narrow') });
});

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
