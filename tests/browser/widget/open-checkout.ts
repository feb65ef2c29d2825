import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

import { advanceClock } from '../../services/advance-clock.js';
import { openTab, type Tab } from '../open-tab.js';
import { script, servePages, type Site } from '../serve-pages.js';
import { startGate, type CreatedSession, type RunningGate } from '../start-gate.js';

export interface Checkout extends Tab {
  readonly gate: RunningGate;
  readonly shop: Site;
  readonly session: CreatedSession;
  /** The widget: the tab itself, or the frame in the shop's page. */
  readonly ui: Page | Frame;
  /** The messages that the embedding page received. */
  heard(): Promise<readonly Heard[]>;
  /** Advances the test clock. */
  pass(seconds: number): Promise<void>;
}

export interface Heard {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface CheckoutOptions {
  readonly session?: Readonly<Record<string, unknown>>;
  readonly tab?: BrowserContextOptions;
  readonly theme?: 'light' | 'dark';
  /** Additional server settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called before the checkout is opened. */
  readonly prepare?: (tab: Tab & { readonly gate: RunningGate }) => Promise<unknown>;
}

/** Opens the hosted full page as a redirect does. */
export async function openFullPage(options: CheckoutOptions = {}): Promise<Checkout> {
  const checkout = await begin(options);
  const { page, gate, session } = checkout;
  const query = new URLSearchParams({ client_secret: session.client_secret, publishableKey: gate.keys.publishable });
  if (options.theme !== undefined) query.set('theme', options.theme);
  await page.goto(`${gate.origins.sandboxWidget}/?${query.toString()}`);
  return { ...checkout, ui: page, heard: () => Promise.resolve([]) };
}

/** Opens the widget in a shop without our SDK, which calls bootstrap, creates the iframe and answers WIDGET_READY with INIT_CONFIG. */
export async function openInFrame(options: CheckoutOptions = {}): Promise<Checkout> {
  const checkout = await begin(options);
  const { page, shop, gate, session } = checkout;
  shop.serve('/', SHOP_PAGE);
  shop.serve('/shop.js', script(SHOP_SCRIPT));
  const setting = {
    api: gate.origins.sandbox,
    widget: gate.origins.sandboxWidget,
    key: gate.keys.publishable,
    secret: session.client_secret,
    theme: options.theme ?? null,
  };
  shop.serve('/setting.json', { type: 'application/json', body: JSON.stringify(setting) });
  await page.goto(`${shop.origin}/`);
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  if (frame === null) throw new Error('The frame has no page.');
  return { ...checkout, ui: frame, heard: () => page.evaluate(() => (globalThis as unknown as Listener).heard) };
}

interface Listener {
  readonly heard: readonly Heard[];
}

export type Begun = Omit<Checkout, 'ui' | 'heard'>;

export async function begin({
  session: body = {},
  tab: tabOptions,
  settings = {},
  prepare,
}: CheckoutOptions): Promise<Begun> {
  const [tab, shop] = await Promise.all([openTab(tabOptions), servePages({ '/done': DONE_PAGE })]);
  const gate = await startGate({ shopOrigins: [shop.origin], settings });
  // Closed before the gate stops, since an open page would report a connection error.
  onTestFinished(() => tab.context.close());
  const session = await gate.createSession(body);
  await prepare?.({ ...tab, gate });
  const pass = (seconds: number): Promise<void> => advanceClock(gate.origins.sandbox, gate.keys.secret, seconds);
  return { ...tab, shop, gate, session, pass };
}

/** The page of the shop to which the full page returns. */
export const DONE_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Thank you</title><link rel="icon" href="data:,"></head></html>`;

const SHOP_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,"></head>
<body><main><h1>Shop</h1><div id="checkout"></div></main><script type="module" src="/shop.js"></script></body>
</html>
`;

const SHOP_SCRIPT = `
globalThis.heard = [];
const setting = await (await fetch('/setting.json')).json();
const opened = await (await fetch(setting.api + '/v1/embed/bootstrap', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + setting.key, 'content-type': 'application/json' },
  body: JSON.stringify({ clientSecret: setting.secret }),
})).json();
globalThis.opened = opened;
const frame = document.createElement('iframe');
frame.title = 'Checkout';
frame.width = '440';
frame.height = '640';
frame.src = setting.widget + '/embed?publishableKey=' + setting.key;
addEventListener('message', ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== setting.widget) return;
  heard.push(data);
  if (data.type === 'WIDGET_READY') frame.contentWindow.postMessage({ type: 'INIT_CONFIG', payload: {
    embedToken: opened.embed_token, available: opened.available, unavailableReason: opened.unavailable_reason, flow: opened.flow,
    theme: setting.theme, amount: null, currency: null, targetToken: null, targetNetwork: null, returnUrl: null, locale: null, branding: opened.branding,
  } }, setting.widget);
});
document.querySelector('#checkout').append(frame);
`;
