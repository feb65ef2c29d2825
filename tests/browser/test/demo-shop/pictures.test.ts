import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { openDemo } from '../../open-demo.js';
import { goThrough } from '../../pay.js';

/** Where all of them are, to be looked at. */
const FOLDER = fileURLToPath(new URL('../../../../node_modules/.cache/gateramp/pictures/', import.meta.url));
/** The one that the README shows. */
const README_PICTURE = fileURLToPath(new URL('../../../../docs/pictures/checkout.png', import.meta.url));

const SIZES = [
  ['wide', { width: 1280, height: 980 }],
  ['phone', { width: 390, height: 844 }],
  ['narrow', { width: 320, height: 640 }],
] as const;

/** Written anew by `npm run pictures`; the others are made by every run, into the cache. */
const mayWrite = process.env.GATERAMP_WRITE_PICTURES === '1';

it.each(SIZES.flatMap(([name, viewport]) => [[name, 'light', viewport] as const, [name, 'dark', viewport] as const]))(
  'the shop fits a %s window in %s colours, before, during and after a purchase',
  async (name, colorScheme, viewport) => {
    const { page, checkout, said } = await openDemo({ viewport, colorScheme });
    const picture = async (moment: string): Promise<string> => {
      const path = `${FOLDER}demo-shop-${name}-${colorScheme}-${moment}.png`;
      await page.screenshot({ path, fullPage: name !== 'wide' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
      return path;
    };
    mkdirSync(FOLDER, { recursive: true });
    await picture('before');

    await page.getByRole('button', { name: 'Open the checkout' }).click();
    await checkout.getByRole('button', { name: 'Continue' }).waitFor();
    await picture('during');
    await goThrough(checkout, 'on_ramp', { hasWallet: true });
    await said('Signed webhook').getByText('settled', { exact: true }).waitFor();
    await checkout.getByRole('link', { name: /^Return to / }).waitFor();
    // A frame that is out of sight is not painted anew.
    if (name === 'wide') await page.evaluate(() => scrollTo(0, 0));
    else await page.locator('#checkout').scrollIntoViewIfNeeded();
    const after = await picture('after');
    if (mayWrite && name === 'wide' && colorScheme === 'light') copyFileSync(after, README_PICTURE);
  },
  60_000,
);
