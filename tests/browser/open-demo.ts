import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';

import { expect } from 'vitest';

import { openTab, type Tab } from './open-tab.js';
import { startDemo, type RunningDemo } from './start-demo.js';

export interface DemoTab extends Tab {
  readonly demo: RunningDemo;
  /** The iframe of the checkout. */
  readonly checkout: FrameLocator;
  /** The lane of the newest order with the events of the browser or of the signed webhooks. */
  readonly said: (by: 'The browser' | 'Signed webhook') => Locator;
  /** Waits until the newest order is processing, advances the test clock to settle it, and waits for the signed webhook. */
  readonly settled: () => Promise<void>;
}

/** Opens the demo shop of a newly started server in a new tab. */
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

/** Holds back the next prices until the checkout says that they are late: the slow provider is only two seconds later than that. */
export async function sayLatePrice({ page, checkout }: DemoTab, order: () => Promise<void>): Promise<void> {
  let isSaid = false;
  await page.route('**/v1/embed/quotes', async (route) => {
    const response = await route.fetch();
    await expect.poll(() => isSaid).toBe(true);
    await route.fulfill({ response });
  });
  await order();
  await checkout.getByText('The price is taking longer than usual.').waitFor();
  expect(await checkout.getByText('Price held for').count()).toBe(0);
  isSaid = true;
}

function laneOf(page: Page, by: string): Locator {
  return page
    .locator('.order')
    .first()
    .locator('.lane', { has: page.getByRole('heading', { name: by }) });
}
