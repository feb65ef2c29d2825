import type { FrameLocator } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { say } from '../../fake-widget.js';
import { openShop, type Shop } from '../../open-shop.js';
import { giveWallets, goOn, payByCard } from '../../pay.js';
import { CARDS } from '../../test-values.js';
import { holdReads } from '../../widget/walk.js';

const heightOf = ({ page }: Shop): Promise<number> =>
  page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().height);

describe('the height of the frame', () => {
  it.each([
    ['is 600 px by default', {}, [700, 320], [600, 600]],
    ['is fixed by height, which maxHeight does not change', { height: 500, maxHeight: 400 }, [700, 320], [500, 500]],
    ['follows the checkout with auto', { height: 'auto' as const }, [700, 1800, 410.4], [700, 1800, 410.4]],
    ['is 320 px at least with auto', { height: 'auto' as const }, [1, 319], [320, 320]],
    ['ends at maxHeight with auto', { height: 'auto' as const, maxHeight: 650 }, [640, 2000], [640, 650]],
    ['does not change for what is no height', { height: 'auto' as const }, [0, -5, '700', null], [600, 600, 600, 600]],
  ])('%s', async (_, options, said, expected) => {
    const shop = await openShop();
    await shop.page.evaluate((all) => globalThis.shop.open(all), { ...shop.config, ...options });
    const heights: number[] = [];
    for (const height of said) {
      await say(shop.widget.frames(shop.page)[0], { type: 'WIDGET_RESIZE', payload: { height } });
      await shop.page.evaluate(() => new Promise(requestAnimationFrame));
      heights.push(await heightOf(shop));
    }
    expect(heights.map((height) => Math.round(height * 10) / 10)).toEqual(expected);
  });
});

/** Opens a page whose checkout is below the first screen, scrolled to it. */
async function openBelow(options: object, width: number): Promise<Shop & { readonly checkout: FrameLocator }> {
  const shop = await openShop({ isReal: true, tab: { viewport: { width, height: 640 } } });
  const { client_secret: clientSecret } = await shop.gate.createSession({ flow: 'on_ramp' });
  await shop.page.evaluate(() => {
    const above = document.querySelector('h1');
    if (above) above.style.height = '900px';
  });
  const config = { ...shop.config, clientSecret, ...options };
  await shop.page.evaluate((all) => globalThis.shop.open(all), config);
  return { ...shop, checkout: shop.page.frameLocator('iframe') };
}

const innerScroll = ({ page }: Shop): Promise<number> =>
  page.frames()[1]?.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    return scrollHeight - clientHeight;
  }) ?? Promise.resolve(-1);

describe.each([320, 1280])('in a page of %i px', (width) => {
  it('the frame never scrolls, and each step starts at its top', async () => {
    const shop = await openBelow({ height: 'auto' as const }, width);
    const { page, checkout } = shop;
    const atTop = async (heading: string): Promise<void> => {
      await checkout.getByRole('heading', { name: heading }).waitFor();
      await expect.poll(() => innerScroll(shop)).toBe(0);
      const { top, bottom } = await page.locator('iframe').evaluate((frame) => frame.getBoundingClientRect().toJSON());
      expect(top).toBeGreaterThanOrEqual(-1);
      expect(top).toBeLessThan(640);
      // There is no empty space: the footer of the checkout is at the bottom of its frame.
      const foot = await checkout.locator('.foot').evaluate((element) => element.getBoundingClientRect().bottom);
      expect(Math.abs(bottom - top - foot)).toBeLessThanOrEqual(1);
    };
    await checkout.getByText(/^Price held for/).waitFor();
    await expect.poll(() => innerScroll(shop)).toBe(0);
    await checkout.locator('.more summary').click();
    await expect.poll(() => innerScroll(shop)).toBe(0);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await goOn(checkout);
    await atTop('Where should we send it?');
    await giveWallets(checkout, 'on_ramp');
    await atTop('Pay by card');
    await holdReads(page);
    await payByCard(checkout, CARDS.succeeds);
    await atTop('Your order is on its way');
  });

  it('with a fixed height the checkout scrolls in its frame, and each step starts at its top', async () => {
    const shop = await openBelow({ height: 360 }, width);
    const { checkout } = shop;
    await checkout.getByText(/^Price held for/).waitFor();
    await goOn(checkout);
    await checkout.getByRole('heading', { name: 'Where should we send it?' }).waitFor();
    await expect.poll(() => shop.page.frames()[1]?.evaluate(() => scrollY)).toBe(0);
    expect(await heightOf(shop)).toBe(360);
  });
});
