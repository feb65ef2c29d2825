import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { differenceOf } from '../../compare-pictures.js';
import { picturePath } from '../../pictures.js';
import { purchase } from '../../widget/tour.js';

/** The committed pictures, updated by `npm run pictures -- --update`. */
const COMMITTED = fileURLToPath(new URL('../../pictures/', import.meta.url));
const mayWrite = process.env.GATERAMP_WRITE_PICTURES === '1';

const MAIN_SCREENS = new Set(['order', 'tokens', 'card', 'identity', 'progress', 'success']);

/** The share of a picture that may differ. A button that moves by its own height changes two percent of a phone's screen. */
const DIFFERENCE_MAX = 0.01;

/** Content that differs between purchases: times, references and hashes. */
const VARIABLE = '[role="timer"], .stage-time, .receipt dd, .receipt .address';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;

it.each([
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)('the main screens look as committed: %s, %s', async (size, colorScheme) => {
  const changed: string[] = [];
  const options = { tab: { viewport: SIZES[size], colorScheme, reducedMotion: 'reduce' as const } };
  await purchase(options, async ({ page }, screen) => {
    if (!MAIN_SCREENS.has(screen)) return;
    const name = `${screen}-${size}-${colorScheme}`;
    const picture = await pictureOf(page);
    writeFileSync(picturePath(`committed-${name}`), picture);
    const committed = `${COMMITTED}${name}.png`;
    if (mayWrite) writeFileSync(committed, picture);
    const difference = existsSync(committed) ? differenceOf(readFileSync(committed), picture) : 1;
    if (difference > DIFFERENCE_MAX) changed.push(`${name}: ${(difference * 100).toFixed(1)} %`);
  });
  expect(changed, 'screens that look different; if they should, run "npm run pictures -- --update"').toEqual([]);
});

async function pictureOf(page: Page): Promise<Buffer> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    // Some random references are wide enough to wrap.
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      if (text.nodeValue?.startsWith('gtx_')) text.nodeValue = `gtx_${'0c'.repeat(10)}`;
  });
  return page.screenshot({ animations: 'disabled', mask: [page.locator(VARIABLE)], maskColor: '#808080' });
}
