import type { Browser, CDPSession, Page } from 'playwright-core';

import { WAITS_MS } from './open-tab.js';

/** A browser with a device that makes passkeys and verifies its user, through the DevTools protocol of Chromium. */
export interface PasskeyBrowser {
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly device: string;
  close(): Promise<void>;
}

export async function passkeyBrowser(browser: Browser): Promise<PasskeyBrowser> {
  const context = await browser.newContext();
  context.setDefaultTimeout(WAITS_MS);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId: device } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, devtools, device, close: () => context.close() };
}
