import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { openDemo } from '../../open-demo.js';
import { goThrough } from '../../pay.js';
import { picturePath } from '../../pictures.js';

/** The picture in the README. */
const README_PICTURE = fileURLToPath(new URL('../../../../docs/pictures/checkout.png', import.meta.url));

const SIZES = [
  ['wide', { width: 1280, height: 1030 }],
  ['phone', { width: 390, height: 844 }],
  ['narrow', { width: 320, height: 640 }],
] as const;

/** Updated by `npm run pictures` only; every run writes the others into the cache. */
const mayWrite = process.env.GATERAMP_WRITE_PICTURES === '1';

it.each(SIZES.flatMap(([name, viewport]) => [[name, 'light', viewport] as const, [name, 'dark', viewport] as const]))(
  'the shop fits a %s window in %s colours, before, during and after a purchase',
  async (name, colorScheme, viewport) => {
    const { page, checkout, settled } = await openDemo({ viewport, colorScheme });
    const picture = async (moment: string): Promise<string> => {
      const path = picturePath(`demo-shop-${name}-${colorScheme}-${moment}`);
      await page.screenshot({ path, fullPage: name !== 'wide' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
      return path;
    };
    await picture('before');

    await page.getByRole('button', { name: 'Open the checkout' }).click();
    await checkout.getByRole('button', { name: 'Continue' }).waitFor();
    await picture('during');
    await goThrough(checkout, 'on_ramp', { hasWallet: true });
    await settled();
    await checkout.getByRole('link', { name: /^Return to / }).waitFor();
    // A frame that is out of view is not repainted.
    if (name === 'wide') await page.evaluate(() => scrollTo(0, 0));
    else await page.locator('#checkout').scrollIntoViewIfNeeded();
    const after = await picture('after');
    if (mayWrite && name === 'wide' && colorScheme === 'light') copyFileSync(after, README_PICTURE);
  },
);

it.each(['light', 'dark'] as const)(
  'every tab and situation of the shop fits a phone in %s colours',
  async (colorScheme) => {
    const viewport = { width: 320, height: 640 };
    const { page, checkout } = await openDemo({ viewport, colorScheme });
    const picture = async (name: string): Promise<void> => {
      await page.screenshot({ path: picturePath(`demo-shop-tab-${colorScheme}-${name}`), fullPage: true });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(viewport.width);
    };
    for (const tab of ['Kit blocks', 'Full page', 'React']) {
      await page.getByRole('tab', { name: tab }).click();
      await picture(tab.toLowerCase().replace(' ', '-'));
    }
    for (const situation of ['Card declined', '3-D Secure', 'Identity check', 'Unavailable', 'Expired']) {
      await page.getByRole('button', { name: situation }).click();
      await checkout.getByRole('heading').first().waitFor();
      await picture(situation.toLowerCase().replaceAll(' ', '-'));
    }
  },
);
