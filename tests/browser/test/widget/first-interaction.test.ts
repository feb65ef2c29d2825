import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import type { Tab } from '../../open-tab.js';
import { openByHand } from '../../widget/by-hand.js';
import { openFullPage, type CheckoutOptions } from '../../widget/open-checkout.js';

const ROUNDS = 4;
const MOST_ROUNDS = 8;

/** Measured: 1.1 to 2.5, on idle and busy machines. A checkout that takes twice as long exceeds the limit. */
const LIMIT = 3.5;

/** Alternates between both and compares the fastest of each, since other load only adds time. */
it(
  'on a slow processor the first step is usable within a limit relative to a plain page',
  { timeout: 600_000 },
  async () => {
    const byHand: number[] = [];
    const ours: number[] = [];
    const ratio = (): number => Math.min(...ours) / Math.min(...byHand);
    while (ours.length < ROUNDS || (ours.length < MOST_ROUNDS && ratio() > LIMIT)) {
      byHand.push(await untilUsable(openByHand));
      ours.push(await untilUsable(openFullPage));
    }
    expect(ratio(), `by hand ${byHand.join(', ')} ms; the checkout ${ours.join(', ')} ms`).toBeLessThanOrEqual(LIMIT);
  },
);

/** Milliseconds from navigation until the first option of the form is present. Then closes the page, which would slow down the next one. */
async function untilUsable(open: (options: CheckoutOptions) => Promise<{ readonly page: Page }>): Promise<number> {
  const { page } = await open({ prepare: onSlowProcessor });
  await page.locator('input[name="flow"]').first().waitFor({ state: 'attached' });
  const usable = await page.evaluate(() => performance.getEntriesByName('usable')[0]?.startTime ?? Infinity);
  await page.context().close();
  return usable;
}

async function onSlowProcessor({ context, page }: Tab): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('input[name="flow"]') === null) return;
      observer.disconnect();
      performance.mark('usable');
    }).observe(document, { childList: true, subtree: true });
  });
}
