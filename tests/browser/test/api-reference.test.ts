import { expect, it } from 'vitest';

import { expectAccessible } from '../accessible.js';
import { openTab } from '../open-tab.js';
import { startGate } from '../start-gate.js';

async function openReference(hash = '', colorScheme: 'light' | 'dark' = 'light') {
  const gate = await startGate({ shopOrigins: [] });
  const { page } = await openTab({ colorScheme, viewport: { width: 1280, height: 900 } });
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(gate.origins.sandbox) && !/^(data|blob):/.test(url)) foreign.push(url);
  });
  await page.goto(`${gate.origins.sandbox}/docs${hash}`);
  return { page, foreign };
}

it('the reference can be searched, shows examples in all three languages and contacts no other host', async () => {
  const { page, foreign } = await openReference();
  await page.getByRole('button', { name: 'Open Search' }).click();
  await page.getByRole('combobox', { name: /search/i }).fill('cancel an open session');
  await page
    .getByRole('option', { name: /Cancel an open session/ })
    .first()
    .click();
  await page.getByText('gate.gateSessions.cancel').or(page.getByText('/cancel" \\')).first().waitFor();
  await expectAccessible(page);
  expect(foreign).toEqual([]);
});

it('the reference is accessible in dark mode', async () => {
  const { page } = await openReference('', 'dark');
  await page.getByRole('button', { name: 'Open Search' }).waitFor();
  await expectAccessible(page);
});

it('doc_url of an error leads to its explanation', async () => {
  const { page } = await openReference('#session_not_found');
  const before = page.locator('#overview section#session_not_found');
  await before.waitFor();
  const heading = page.locator('#reference h3', { hasText: /^session_not_found$/ });
  await heading.waitFor();
  await expect.poll(() => page.url()).toMatch(/#session_not_found$/);
  const isAtTop = async (): Promise<boolean> => {
    const { y } = (await heading.boundingBox()) ?? { y: -1 };
    return y >= 0 && y < 450;
  };
  await expect.poll(isAtTop).toBe(true);
});
