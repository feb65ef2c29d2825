import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { openFirefoxTab, startFirefox } from '../../buyers/firefox.js';
import { startConsoleGate } from '../../console/open-console.js';
import { startReceiver } from '../../console/receiver.js';

const INSTALL_MAX_MS = 300_000;

/** Only ends what hangs. */
const WAIT = { timeout: 120_000, interval: 50 };

/** Fires `input`, as typing does. Otherwise the next render restores the previous value. */
const EMPTIES_URL = `
  document.querySelector('#field-url').value = '';
  document.querySelector('#field-url').dispatchEvent(new Event('input', { bubbles: true }));
`;

let firefox: Browser | null = null;
beforeAll(async () => void (firefox = await startFirefox()), INSTALL_MAX_MS);
afterAll(() => firefox?.close());

it('in Firefox a partner travels back, replays what was lost, and rotates the secret', async () => {
  const [gate, receiver] = [await startConsoleGate(), await startReceiver()];
  const tab = await openFirefoxTab(firefox);
  const { page } = tab;
  // The window of the test is narrow, so the navigation is behind a button.
  const open = async (name: string): Promise<void> => {
    await page.press('Menu');
    await page.follow(name);
  };
  const submit = () => vi.waitFor(() => tab.run(`document.querySelector('dialog [type=submit]').click()`), WAIT);
  await tab.goto(await gate.invite());
  await page.at('Home');
  expect(await tab.url()).not.toContain('code=');

  await open('Webhook endpoint');
  await page.press('Edit');
  await vi.waitFor(() => tab.run(EMPTIES_URL), WAIT);
  await page.fill('URL', receiver.url);
  await submit();
  await page.sees(receiver.url);

  receiver.isBroken = true;
  const session = await gate.createSession();
  await gate.payFor(session.id);
  await gate.untilGivenUp();

  await open('Sessions');
  await page.follow('€100.00');
  await page.sees(/^Step 3 of 3: gate_session.completed$/);
  await page.press('Earlier step');
  await page.sees(/^Step 2 of 3: gate_session.processing$/);
  await page.press('Earlier step');
  await page.sees('Did not exist yet.');

  await open('Deliveries');
  await page.follow('gate_session.created');
  await page.sees('Attempt 5');
  receiver.isBroken = false;
  await page.press('Replay');
  await submit();
  await expect.poll(() => receiver.taken.map(({ type }) => type)).toEqual(['gate_session.created']);

  await open('Webhook endpoint');
  await page.press('Rotate the signing secret');
  await submit();
  await page.sees('Copy it now. It is not shown again.');
  await page.press('Done');
  await page.sees(/^The previous secret also signs until/);
});
