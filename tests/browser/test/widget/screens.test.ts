import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from 'vitest';

import { isDeep } from '../../../depth.js';
import { picturePath } from '../../pictures.js';
import type { CheckoutOptions } from '../../widget/open-checkout.js';
import { tour, type Look } from '../../widget/tour.js';

const SCREENS = 29;

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** A quick run takes two of them, and a purchase in a frame (in-a-page.test.ts) the others. */
const DEEP_ONLY: readonly string[] = ['dark', 'narrow'];
const LOOKS: readonly [string, CheckoutOptions][] = [
  ['light', { tab: { viewport: { width: 480, height: 800 }, colorScheme: 'light' } }],
  ['dark', { tab: { viewport: { width: 480, height: 800 }, colorScheme: 'dark' } }],
  ['right-to-left', { tab: { viewport: { width: 480, height: 800 }, locale: 'ar-EG' } }],
  ['narrow', { tab: { viewport: { width: 320, height: 640 }, locale: 'de-DE' } }],
];

it.each(LOOKS.filter(([name]) => isDeep || !DEEP_ONLY.includes(name)))(
  'every screen is free of what axe finds at WCAG 2.2 AA, and nothing is wider than the page: %s',
  { timeout: 180_000 },
  async (name, options) => {
    const seen: string[] = [];
    const faults: string[] = [];
    const look: Look = async ({ page }, screen) => {
      seen.push(screen);
      await page.screenshot({
        path: picturePath(`checkout-${name}-${String(seen.length).padStart(2, '0')}-${screen}`),
        fullPage: true,
      });
      // There is no frame in it, for which axe would open a page of its own each time.
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().withTags(WCAG).analyze();
      faults.push(...violations.map(({ id, nodes }) => `${screen}: ${id} ${nodes.map(({ html }) => html).join(' ')}`));
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      if (scrollWidth > clientWidth) faults.push(`${screen}: ${scrollWidth} px wide`);
      const isRightToLeft = await page.evaluate(() => document.dir === 'rtl');
      if (isRightToLeft !== (name === 'right-to-left')) faults.push(`${screen}: runs the wrong way`);
    };
    await tour(options, look);
    expect(faults).toEqual([]);
    expect(new Set(seen).size).toBe(SCREENS);
  },
);
