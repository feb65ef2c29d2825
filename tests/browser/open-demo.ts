import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';

import { openTab, type Tab } from './open-tab.js';
import { startDemo, type RunningDemo } from './start-demo.js';

export interface DemoTab extends Tab {
  readonly demo: RunningDemo;
  /** The checkout in its iframe. */
  readonly checkout: FrameLocator;
  /** What the browser, or the signed webhook, says of the newest order. */
  said(by: 'The browser' | 'Signed webhook'): Locator;
}

/** The demo shop in a tab of its own, as somebody sees it who has just started the server. */
export async function openDemo(options: BrowserContextOptions = {}): Promise<DemoTab> {
  const demo = await startDemo();
  const tab = await openTab(options);
  await tab.page.goto(`${demo.shop}/`);
  return { ...tab, demo, checkout: tab.page.frameLocator('#checkout iframe'), said: (by) => laneOf(tab.page, by) };
}

function laneOf(page: Page, by: string): Locator {
  return page
    .locator('.order')
    .first()
    .locator('.lane', { has: page.getByRole('heading', { name: by }) });
}
