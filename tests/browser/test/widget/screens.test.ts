import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { isDeep } from '../../../depth.js';
import { violationsOf } from '../../accessible.js';
import { picturePath } from '../../pictures.js';
import type { CheckoutOptions } from '../../widget/open-checkout.js';
import { TOUR } from '../../widget/tour.js';

const SCREENS = 35;

const LOOKS: Readonly<Record<string, CheckoutOptions>> = {
  light: { tab: { viewport: { width: 480, height: 800 }, colorScheme: 'light' } },
  dark: { tab: { viewport: { width: 480, height: 800 }, colorScheme: 'dark' } },
  'right-to-left': { tab: { viewport: { width: 480, height: 800 }, locale: 'ar-EG' } },
  narrow: { tab: { viewport: { width: 320, height: 640 }, locale: 'de-DE' } },
};

/**
 * A quick run checks each screen in one look, rotating through all looks. A deep run checks each screen in every look: the light one
 * becomes dark at each screen, since only the colours differ.
 */
const inTurn = (part: number): string => Object.keys(LOOKS)[part % Object.keys(LOOKS).length] ?? '';
const TOURS: readonly [string, (part: number) => string][] = isDeep
  ? ['light', 'right-to-left', 'narrow'].map((name) => [name === 'light' ? 'light and dark' : name, () => name])
  : [['each in one look', inTurn]];

it.each(TOURS)(
  'every screen has no axe violations of WCAG 2.2 AA and no horizontal overflow: %s',
  async (_, lookAt) => {
    const seen = new Set<string>();
    const faults: string[] = [];
    for (const [index, part] of TOUR.entries()) {
      const name = lookAt(index);
      await part(LOOKS[name] ?? {}, async ({ page }, screen) => {
        seen.add(screen);
        const inspect = async (look: string): Promise<void> => {
          if (isDeep) await page.screenshot({ path: picturePath(`checkout-${look}-${screen}`), fullPage: true });
          faults.push(...(await faultsOf(page, look)).map((fault) => `${look}, ${screen}: ${fault}`));
        };
        await inspect(name);
        if (!isDeep || name !== 'light') return;
        await page.emulateMedia({ colorScheme: 'dark' });
        await inspect('dark');
        await page.emulateMedia({ colorScheme: 'light' });
      });
    }
    expect(faults).toEqual([]);
    expect(seen.size).toBe(SCREENS);
  },
);

async function faultsOf(page: Page, look: string): Promise<readonly string[]> {
  const violations = await violationsOf(page);
  const faults = violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
  const { scrollWidth, clientWidth, direction } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth, direction: document.dir };
  });
  if (scrollWidth > clientWidth) faults.push(`${scrollWidth} px wide`);
  if ((direction === 'rtl') !== (look === 'right-to-left')) faults.push('runs the wrong way');
  return faults;
}
