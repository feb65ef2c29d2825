import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { openShop, type Shop } from '../../open-shop.js';
import { goThrough } from '../../pay.js';
import { holdReads } from '../../widget/walk.js';

it('the embed token is in no URL, storage or log of the frame and the embedding page', async () => {
  const shop = await openShop({ isReal: true, prepare: ({ page: tab }) => holdReads(tab) });
  const { page, gate, config } = shop;
  const seen = watch(shop);
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp' });
  await page.evaluate((all) => globalThis.shop.open(all), { ...config, clientSecret });
  await goThrough(page.frameLocator('iframe'), 'on_ramp');
  await page.frameLocator('iframe').getByRole('heading', { name: 'Your order is on its way' }).waitFor();

  const token = await seen.token;
  expect(seen.sent).toContain(token);
  const places = [...seen.places, ...(await keptBy(page))];
  expect(places.filter((text) => text.includes(token) || text.includes(clientSecret))).toEqual([]);
});

it('on the full page the token is nowhere, and the secret only in the tab’s history', async () => {
  const shop = await openShop({ isReal: true, prepare: ({ page: tab }) => holdReads(tab) });
  const { page, gate, config } = shop;
  const seen = watch(shop);
  const { client_secret: clientSecret } = await gate.createSession({ flow: 'on_ramp' });
  await page.evaluate((all) => globalThis.shop.sdk.GateRamp.redirectToCheckout(all), { ...config, clientSecret });
  await goThrough(page, 'on_ramp');
  await page.getByRole('heading', { name: 'Your order is on its way' }).waitFor();

  const token = await seen.token;
  expect(seen.sent).toContain(token);
  const places = [...seen.places, ...(await keptBy(page))];
  expect(places.filter((text) => text.includes(token))).toEqual([]);
  const withSecret = places.filter((text) => text.includes(clientSecret));
  expect(withSecret.map((text) => text.split(' ', 1)[0])).toEqual(['address', 'history']);
  expect(await page.evaluate(() => JSON.stringify(performance.getEntriesByType('resource')))).not.toContain('gsec_');
});

interface Seen {
  readonly token: Promise<string>;
  /** The tokens that the checkout has sent in its header. */
  readonly sent: readonly string[];
  /** The URLs and referrers of all requests, and the console messages. */
  readonly places: readonly string[];
}

/** Records requests and console messages from now on. */
function watch({ context }: Shop): Seen {
  const places: string[] = [];
  const sent: string[] = [];
  context.on('request', (request) => {
    const { referer = '', 'x-embed-token': token } = request.headers();
    places.push(`address ${request.url()}`, `referrer ${referer}`);
    if (token !== undefined) sent.push(token);
  });
  context.on('console', (message) => places.push(`console ${message.text()}`));
  const isBootstrap = (url: string): boolean => url.endsWith('/v1/embed/bootstrap');
  const token = context
    .waitForEvent('response', (response) => isBootstrap(response.url()) && response.request().method() === 'POST')
    .then(async (response) => ((await response.json()) as { readonly embed_token: string }).embed_token);
  return { token, sent, places };
}

/** Everything that a page and its frames store. */
async function keptBy(page: Page): Promise<readonly string[]> {
  const kept = await Promise.all(
    page
      .frames()
      .map((frame) =>
        frame.evaluate(() => [
          `address ${location.href}`,
          `referrer ${document.referrer}`,
          `history ${JSON.stringify(history.state)}`,
          `storage ${JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name])}`,
          `page ${document.documentElement.outerHTML}`,
        ]),
      ),
  );
  return kept.flat();
}
