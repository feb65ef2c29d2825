import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, it } from 'vitest';

import { isDeep } from '../../../depth.js';
import { openChromiumTab } from '../../buyers/chromium.js';
import { openFirefoxTab, startFirefox } from '../../buyers/firefox.js';
import { STORIES } from '../../buyers/stories.js';

const INSTALL_MAX_MS = 300_000;

const stories = Object.entries(STORIES);

describe('in Firefox', () => {
  let firefox: Browser | null = null;
  beforeAll(async () => void (firefox = await startFirefox()), INSTALL_MAX_MS);
  afterAll(() => firefox?.close());

  it.each(isDeep ? stories : stories.slice(0, 1))('%s', async (_, story) => {
    await story(() => openFirefoxTab(firefox));
  });
});

// In a quick run the other browser tests cover Chromium.
describe.runIf(isDeep)('in Chromium', () => {
  it.each(stories)('%s', async (_, story) => {
    await story(openChromiumTab);
  });
});
