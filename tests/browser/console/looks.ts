import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from '../accessible.js';
import { picturePath } from '../pictures.js';
import { settled } from './open-console.js';

/** Each language in a look of its own, since no text depends on the colours. */
export const LOOKS = {
  light: { colorScheme: 'light', locale: 'en-GB', viewport: { width: 1280, height: 800 } },
  arabic: { colorScheme: 'dark', locale: 'ar-EG', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'dark', locale: 'de-DE', viewport: { width: 320, height: 700 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

export type Look = keyof typeof LOOKS;

export const EVERY_LOOK = Object.keys(LOOKS) as readonly Look[];

/** Expects that a page can be used by everyone and does not scroll sideways, and keeps a picture of it to look at. */
export async function check(page: Page, name: string, look: Look): Promise<void> {
  await settled(page);
  await page.screenshot({ path: picturePath(`console-${name}-${look}`), fullPage: true });
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(beyond, `what ${name} has beyond the side of the window`).toBeLessThanOrEqual(0);
  await expectAccessible(page);
}
