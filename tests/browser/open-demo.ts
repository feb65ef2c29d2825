import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';

import { openTab, type Tab } from './open-tab.js';
import { startDemo, type RunningDemo } from './start-demo.js';

export interface DemoTab extends Tab {
  readonly demo: RunningDemo;
  /** The checkout in its iframe. */
  readonly checkout: FrameLocator;
  /** What the browser, or the signed webhook, says of the newest order. */
  said(by: 'The browser' | 'Signed webhook'): Locator;
  /** Waits until the newest order's money moves, has it settled without the wait, and sees the signed webhook say so. */
  settled(): Promise<void>;
}

/** The demo shop in a tab of its own, as a user sees it who has just started the server. */
export async function openDemo(
  options: BrowserContextOptions = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<DemoTab> {
  const demo = await startDemo(settings);
  const tab = await openTab(options);
  await tab.page.goto(`${demo.shop}/`);
  const said: DemoTab['said'] = (by) => laneOf(tab.page, by);
  const settled = async (): Promise<void> => {
    await said('Signed webhook').getByText('Money is moving').waitFor();
    await demo.settle();
    await said('Signed webhook').getByText('settled', { exact: true }).waitFor();
  };
  return { ...tab, demo, checkout: tab.page.frameLocator('#checkout iframe'), said, settled };
}

function laneOf(page: Page, by: string): Locator {
  return page
    .locator('.order')
    .first()
    .locator('.lane', { has: page.getByRole('heading', { name: by }) });
}
