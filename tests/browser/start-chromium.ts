import { chromium } from 'playwright-core';

import { chromiumBinary } from './browser-binaries.js';

/** What a browser does by itself, over the network or on the screen, is no part of a test. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestChromium {
  /** Where Playwright reaches it. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A Chromium without a window and with a profile of its own, which ends with this process however that ends. */
export async function startChromium(): Promise<TestChromium> {
  const server = await chromium.launchServer({
    executablePath: await chromiumBinary(),
    headless: true,
    chromiumSandbox: false,
    args: FLAGS,
  });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
