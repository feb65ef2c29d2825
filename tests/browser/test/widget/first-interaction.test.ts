import { expect, it } from 'vitest';

import { openFullPage } from '../../widget/open-checkout.js';

const LIMIT_MS = 1000;
const TRIES = 3;

/** Of several, since the machine of a test does other things beside; a page that is too slow is so every time. */
it('the first step can be used within a second on a processor four times as slow', { timeout: 90_000 }, async () => {
  const taken: number[] = [];
  while (taken.length < TRIES && !taken.some((ms) => ms <= LIMIT_MS)) taken.push(await untilUsable());
  expect(Math.min(...taken)).toBeLessThanOrEqual(LIMIT_MS);
});

async function untilUsable(): Promise<number> {
  const { page } = await openFullPage({
    prepare: async ({ context, page: tab }) => {
      const devtools = await context.newCDPSession(tab);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await tab.addInitScript(() => {
        new MutationObserver((_changes, observer) => {
          if (document.querySelector('input[name="flow"]') === null) return;
          observer.disconnect();
          performance.mark('usable');
        }).observe(document, { childList: true, subtree: true });
      });
    },
  });
  await page.locator('input[name="flow"]').first().waitFor({ state: 'attached' });
  return page.evaluate(() => performance.getEntriesByName('usable')[0]?.startTime ?? Infinity);
}
