import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';

import { advanceClock } from '../../services/advance-clock.js';
import { bundledPrograms } from '../../services/programs.js';
import { scratchDatabase } from '../../services/scratch-database.js';
import { openTab, type Tab } from '../open-tab.js';
import { startGate, type RunningGate } from '../start-gate.js';

const run = promisify(execFile);

export interface InviteOptions {
  readonly mode?: 'test' | 'live';
  readonly role?: 'viewer' | 'support' | 'developer' | 'admin';
  readonly user?: string;
}

export interface ConsoleGate extends RunningGate {
  /** A new link to the console, made by `gate console invite`. */
  invite(options?: InviteOptions): Promise<string>;
  /** Calls the API as the partner's server; it must succeed. */
  ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown>;
  /** Advances the test clock until five attempts of a delivery have been made. */
  untilGivenUp(): Promise<void>;
}

/** Longer than the four waits between the attempts of a delivery: 1 minute, 5 minutes, 30 minutes and 2 hours. */
const UNTIL_GIVEN_UP_SECONDS = 3 * 3600;

/** The id of the demo partner, whose keys the tests use. */
const PARTNER = '65f0de300000000000000001';

/** Starts the reference server over Postgres, so that the `gate` command works on the same data, until the test ends. */
export async function startConsoleGate(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleGate> {
  const database = await scratchDatabase();
  const masterKey = randomBytes(32).toString('base64');
  const place = { DATABASE_URL: database.url, GATE_MASTER_KEY: masterKey };
  const gate = await startGate({
    shopOrigins: ['https://shop.example'],
    settings: {
      ...place,
      GATE_TEST_CLOCK: 'on',
      GATE_DEMO: 'on',
      GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
      ...settings,
    },
  });
  const programs = await bundledPrograms();
  const ask: ConsoleGate['ask'] = async (method, path, body) => {
    const response = await callAs(gate.keys.secret, `${gate.origins.sandbox}${path}`, method, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    const answer: unknown = JSON.parse(text);
    return answer;
  };
  return {
    ...gate,
    ask,
    untilGivenUp: async () => {
      await advanceClock(gate.origins.sandbox, gate.keys.secret, UNTIL_GIVEN_UP_SECONDS);
    },
    invite: async ({ mode = 'test', role = 'admin', user = 'ada@shop.example' } = {}) => {
      const options = ['--partner', PARTNER, '--mode', mode, '--role', role, '--user', user, '--json'];
      const command = [programs.gate, 'console', 'invite', ...options, '--url', gate.origins.console];
      const { stdout } = await run(process.execPath, command, { env: { PATH: process.env['PATH'], ...place } });
      // The shape of the answer is covered by the command's own tests.
      return (JSON.parse(stdout) as { readonly url: string }).url;
    },
  };
}

/** Enters the URL of the partner's endpoint on its page, and stays there. */
export async function enterEndpoint(page: Page, { origins }: ConsoleGate, url: string): Promise<void> {
  await goTo(page, origins.console, 'endpoint');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(url).waitFor();
}

/** Calls the API with a secret key. */
export function callAs(key: string, url: string, method: 'GET' | 'POST' = 'GET', body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() };
  const sent = body && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return fetch(url, { method, headers, ...sent });
}

/** Opens the console by an invite and waits until it is signed in. */
export async function openConsole(
  gate: ConsoleGate,
  invite: InviteOptions = {},
  browser: BrowserContextOptions = {},
): Promise<Tab> {
  const tab = await openTab(browser);
  await tab.page.goto(await gate.invite(invite));
  await tab.page.locator('.shell').waitFor();
  return tab;
}

/** Goes from a page of the console to another by its address, and waits until everything on it has been read. */
export async function goTo(page: Page, origin: string, path: string): Promise<void> {
  await page.evaluate(
    (address) =>
      new Promise<void>((resolve) => {
        if (location.href === address) return resolve();
        // The listener of the console was added before, so it has drawn the new page by then.
        addEventListener('hashchange', () => resolve(), { once: true });
        location.href = address;
      }),
    new URL(`${origin}/#/${path}`).href,
  );
  await settled(page);
}

/** Waits for a notification. Its text fades after four seconds but stays in the document, where a slow test still finds it. */
export async function said(page: Page, text: string): Promise<void> {
  await page.locator('.toast').getByText(text).waitFor({ state: 'attached' });
}

/** Waits until everything on the page has been read. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  // The address changes before the page handles it, and a page that has not begun to load looks like one that has finished.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
}
