import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { onTestFinished, vi } from 'vitest';

import { aptInstall, mayInstall, onPath } from '../../../tools/lib/apt.mjs';
import { freePort } from '../../services/ports.js';
import { buyerWith, findOnPage, type Buyer, type BuyerTab, type Hands } from './buyer.js';
import { elementOf, openSession, referenceTo, type ElementReference, type WebDriver } from './webdriver.js';

const PACKAGES = ['webkit2gtk-driver', 'libwebkit2gtk-4.1-0', 'xvfb'] as const;
const BROWSERS = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`);

/** The paths of the driver, its browser and a virtual display, from Debian packages. As root, missing ones are installed. */
async function binaries(): Promise<Readonly<Record<'driver' | 'browser' | 'screen', string>>> {
  for (let isLastTry = !mayInstall(); ; isLastTry = true) {
    const driver = onPath('WebKitWebDriver');
    const screen = onPath('Xvfb');
    const browser = BROWSERS.find((path) => existsSync(path));
    if (driver !== null && screen !== null && browser !== undefined) return { driver, browser, screen };
    if (isLastTry) throw new Error(`There is no WebKitGTK to test with. Run "apt-get install ${PACKAGES.join(' ')}".`);
    for (const name of PACKAGES) await aptInstall(name, '--no-install-recommends');
  }
}

interface RunningWebKit {
  /** The URL of WebKitWebDriver. */
  readonly url: string;
  readonly browser: string;
}

/** Starts WebKitGTK's driver until the test ends, on a virtual display, since its MiniBrowser has no headless mode. */
async function startWebKit(): Promise<RunningWebKit> {
  const { driver, browser, screen } = await binaries();
  const port = await freePort();
  const xvfb = spawn(screen, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  // Stopping the display also ends the browser.
  onTestFinished(() => void xvfb.kill());
  const display = await firstLine(xvfb);
  const server = spawn(driver, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1' },
  });
  onTestFinished(() => void server.kill());
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(`${url}/status`), { timeout: 20_000 });
  return { url, browser };
}

async function firstLine(child: ChildProcess): Promise<string> {
  // The cast holds, since the fourth entry of `stdio` is a pipe.
  const pipe = child.stdio[3] as Readable;
  const [data] = (await once(pipe, 'data')) as [Buffer];
  return data.toString().trim();
}

/** Opens a tab in a new browser without history. */
export async function openWebKitTab(): Promise<BuyerTab> {
  const { url, browser } = await startWebKit();
  const session = await openSession(url, {
    'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
  });
  const outside = (): Promise<unknown> => session.send('POST', '/frame', { id: null });
  const outsideDo = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    await outside();
    return session.send(method, path, body);
  };
  return {
    page: buyerAt(session, outside),
    inFrame: (address) => buyerAt(session, () => enter(session, address)),
    goto: async (to) => void (await outsideDo('POST', '/url', { url: to })),
    back: async () => void (await outsideDo('POST', '/back')),
    reload: async () => void (await outsideDo('POST', '/refresh')),
    url: async () => String(await outsideDo('GET', '/url')),
    run: async (expression) => {
      await outside();
      return session.run(`return ${expression};`);
    },
    paste: () => Promise.reject(new Error('What a script presses may not copy.')),
  };
}

async function enter(session: WebDriver, address: string): Promise<void> {
  await session.send('POST', '/frame', { id: null });
  const find =
    'return [...document.querySelectorAll("iframe")].find(({ src }) => src.startsWith(arguments[0])) ?? null;';
  const frame = elementOf(await session.run(find, [address]));
  if (frame === null) throw new Error(`There is no frame of ${address}.`);
  await session.send('POST', '/frame', { id: referenceTo(frame) });
}

/**
 * Clicks and types by script. The driver's mouse (2.50) misses its target in a frame or while a step is animated, and its keyboard does not
 * work in a frame. The page's own handling of the events is still tested.
 */
const byScript = (session: WebDriver): Pick<Hands<ElementReference>, 'click' | 'type'> => ({
  click: async (element) => void (await session.run('arguments[0].click();', [referenceTo(element)])),
  type: async (element, text) => void (await session.run(TYPE, [referenceTo(element), text])),
});

const TYPE = `
  const [field, text] = arguments;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
`;

function buyerAt(session: WebDriver, go: () => Promise<unknown>): Buyer {
  return buyerWith<ElementReference>({
    find: async (wanted) => {
      await go();
      return elementOf(await session.run(`return (${findOnPage.toString()})(arguments[0]);`, [wanted]));
    },
    ...byScript(session),
    textOf: async ({ id }) => String(await session.send('GET', `/element/${id}/text`)),
  });
}
