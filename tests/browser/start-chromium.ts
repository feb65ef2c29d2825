import { chromium } from 'playwright-core';

import { chromiumBinary } from './browser-binaries.js';

/** Flags that disable the browser's own network activity and rendering on the GPU. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestChromium {
  /** The endpoint for Playwright. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a headless Chromium with its own profile. It ends with this process, even after a crash. */
export async function startChromium(): Promise<TestChromium> {
  const server = await chromium.launchServer({
    executablePath: await chromiumBinary(),
    headless: true,
    chromiumSandbox: false,
    args: FLAGS,
    // Only ends what hangs.
    timeout: 120_000,
  });
  return { url: server.wsEndpoint(), stop: () => server.close() };
}
