import puppeteer, { type Browser, type ElementHandle, type Frame, type Page } from 'puppeteer-core';
import { expect, onTestFinished } from 'vitest';

import { firefoxBinary } from '../browser-binaries.js';
import { buyerWith, findOnPage, type Buyer, type BuyerTab } from './buyer.js';

/** Only ends what hangs. */
const WAITS_MS = 120_000;

/** Starts a headless Firefox with its own profile, driven over WebDriver BiDi. It ends with this process, even after a crash. */
export async function startFirefox(): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: await firefoxBinary(),
    headless: true,
    timeout: WAITS_MS,
  });
}

/** Opens a tab in its own context. Uncaught errors of its pages fail the test. */
export async function openFirefoxTab(browser: Browser | null): Promise<BuyerTab> {
  if (browser === null) throw new Error('Firefox has not started.');
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(WAITS_MS);
  const uncaught: string[] = [];
  page.on('pageerror', (error) => uncaught.push(String(error)));
  onTestFinished(async () => {
    await context.close();
    expect(uncaught, 'what the pages threw').toEqual([]);
  });
  return {
    page: buyerAt(page, null),
    inFrame: (address) => buyerAt(page, address),
    goto: async (url) => void (await page.goto(url)),
    // `goBack` would wait for an event that Firefox ESR does not send for navigation within a document.
    back: () => page.evaluate(() => history.back()),
    reload: async () => void (await page.reload()),
    url: async () => page.url(),
    run: (expression) => page.evaluate(expression),
    paste: () => paste(page),
  };
}

/** A buyer in the frame whose URL starts with `address`, or on the page itself for null. */
function buyerAt(page: Page, address: string | null): Buyer {
  const frame = (): Frame | undefined =>
    address === null ? page.mainFrame() : page.frames().find((one) => one.url().startsWith(address));
  return buyerWith<ElementHandle<Element>>({
    find: async (wanted) => {
      const found = await frame()?.evaluateHandle(findOnPage, wanted);
      return (found?.asElement() as ElementHandle<Element> | null | undefined) ?? null;
    },
    click: (element) => (address === null ? element.click() : clickInFrame(page, address, element)),
    type: (element, text) => element.type(text),
    textOf: (element) => element.evaluate(({ textContent }) => textContent ?? ''),
  });
}

/**
 * Clicks by coordinates. Puppeteer determines the position of a frame by a command that Firefox ESR does not support, so the frame is found
 * by its URL.
 */
async function clickInFrame(page: Page, address: string, element: ElementHandle<Element>): Promise<void> {
  await element.evaluate((one) => one.scrollIntoView({ block: 'center' }));
  const frame = await page.$eval(`iframe[src^="${address}"]`, (one) => {
    const { x, y } = one.getBoundingClientRect();
    return { x: x + one.clientLeft, y: y + one.clientTop };
  });
  const target = await element.evaluate((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  await page.mouse.click(frame.x + target.x, frame.y + target.y);
}

async function paste(page: Page): Promise<string> {
  await page.evaluate(() => document.body.append(document.createElement('textarea')));
  await page.click('textarea');
  await page.keyboard.down('Control');
  await page.keyboard.press('v');
  await page.keyboard.up('Control');
  return page.$eval('textarea', (area) => {
    area.remove();
    return area.value;
  });
}
