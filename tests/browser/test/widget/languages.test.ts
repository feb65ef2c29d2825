import { expect, it } from 'vitest';

import { violationsOf } from '../../accessible.js';
import { purchase, type Look } from '../../widget/tour.js';

it.each(['es', 'fr', 'it', 'pt', 'nl', 'pl'])(
  'a purchase at 320 px has no axe violations and no horizontal overflow: %s',
  async (language) => {
    const faults: string[] = [];
    const look: Look = async ({ page }, screen) => {
      const violations = await violationsOf(page);
      faults.push(...violations.map(({ id, nodes }) => `${screen}: ${id} ${nodes.map(({ html }) => html).join(' ')}`));
      const { lang, tooWide } = await page.evaluate(() => ({
        lang: document.documentElement.lang,
        tooWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }));
      if (tooWide > 0 || lang !== language) faults.push(`${screen}: ${lang}, ${tooWide} px too wide`);
    };
    await purchase({ tab: { viewport: { width: 320, height: 640 }, locale: language } }, look);
    expect(faults).toEqual([]);
  },
);
