import type { ElementHandle, Frame } from 'playwright-core';

import { openTab } from '../open-tab.js';
import { buyerWith, findOnPage, type Buyer, type BuyerTab } from './buyer.js';

export async function openChromiumTab(): Promise<BuyerTab> {
  const { page } = await openTab({ permissions: ['clipboard-read'] });
  return {
    page: buyerAt(() => page.mainFrame()),
    inFrame: (address) => buyerAt(() => page.frames().find((frame) => frame.url().startsWith(address))),
    goto: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack({ waitUntil: 'commit' })),
    reload: async () => void (await page.reload()),
    url: async () => page.url(),
    run: (expression) => page.evaluate(expression),
    paste: async () => {
      await page.locator('body').click({ position: { x: 2, y: 2 } });
      return page.evaluate(() => navigator.clipboard.readText());
    },
  };
}

function buyerAt(frame: () => Frame | undefined): Buyer {
  return buyerWith<ElementHandle<Element>>({
    find: async (wanted) => (await frame()?.evaluateHandle(findOnPage, wanted))?.asElement() ?? null,
    click: (element) => element.click(),
    type: (element, text) => element.fill(text),
    textOf: (element) => element.evaluate(({ textContent }) => textContent ?? ''),
  });
}
