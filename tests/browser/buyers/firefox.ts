import puppeteer, { type Browser, type ElementHandle, type Frame, type Page } from 'puppeteer-core';
import { expect, onTestFinished } from 'vitest';

import { firefoxBinary } from '../browser-binaries.js';
import { buyerWith, findOnPage, type Buyer, type BuyerTab } from './buyer.js';

/** Firefox without a window, over WebDriver BiDi, with a profile of its own. It ends with this process however that ends. */
export async function startFirefox(): Promise<Browser> {
  return puppeteer.launch({ browser: 'firefox', executablePath: await firefoxBinary(), headless: true });
}

/** A tab in a context of its own. What its pages throw fails the test. */
export async function openFirefoxTab(browser: Browser | null): Promise<BuyerTab> {
  if (browser === null) throw new Error('Firefox has not started.');
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const uncaught: string[] = [];
  page.on('pageerror', (error) => uncaught.push(String(error)));
  onTestFinished(async () => {
    await context.close();
    expect(uncaught, 'what the pages threw').toEqual([]);
  });
  return {
    page: buyerAt(page, () => page.mainFrame()),
    inFrame: (address) => buyerAt(page, () => page.frames().find((frame) => frame.url().startsWith(address))),
    goto: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack({ waitUntil: [] })),
    reload: async () => void (await page.reload()),
    url: async () => page.url(),
    run: (expression) => page.evaluate(expression),
    paste: () => paste(page),
  };
}

function buyerAt(page: Page, frame: () => Frame | undefined): Buyer {
  return buyerWith<ElementHandle<Element>>({
    find: async (wanted) => {
      const found = await frame()?.evaluateHandle(findOnPage, wanted);
      return (found?.asElement() as ElementHandle<Element> | null | undefined) ?? null;
    },
    click: (element) => element.click(),
    type: (element, text) => element.type(text),
    textOf: (element) => element.evaluate(({ textContent }) => textContent ?? ''),
  });
}

async function paste(page: Page): Promise<string> {
  await page.evaluate(() => document.body.append(document.createElement('textarea')));
  await page.click('textarea');
  await page.keyboard.down('Control');
  await page.keyboard.press('v');
  await page.keyboard.up('Control');
  return page.$eval('textarea', ({ value }) => value);
}
