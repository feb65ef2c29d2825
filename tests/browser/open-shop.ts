import type { GateRampConfig } from '@gateramp/sdk-browser';
import type { BrowserContextOptions } from 'playwright-core';
import { onTestFinished } from 'vitest';

import { bundlePage } from './bundle-page.js';
import { fakeWidget, type FakeWidget } from './fake-widget.js';
import { openTab, type Tab } from './open-tab.js';
import { servePages, type ServedFile, type Site } from './serve-pages.js';
import { startGate, type GateOptions, type RunningGate } from './start-gate.js';

export interface Shop extends Tab {
  readonly site: Site;
  readonly gate: RunningGate;
  readonly widget: FakeWidget;
  /** The configuration of every checkout of this shop: its key and the URLs of this test. */
  readonly config: GateRampConfig;
}

export interface ShopOptions {
  /** Directives that override those of the page's Content-Security-Policy. */
  readonly policy?: Readonly<Record<string, string>>;
  /** Whether the shop is among the partner's allowed origins. */
  readonly isListed?: boolean;
  /** Called before the page is opened. */
  readonly prepare?: (tab: Tab) => Promise<unknown>;
  /** Uses the real hosted checkout instead of the fake one. */
  readonly isReal?: boolean;
  /** A bundled script of `tests/browser/page` to use instead of `shop.ts`. */
  readonly script?: ServedFile;
  /** The initial content of the page's `#checkout`. */
  readonly content?: string;
  readonly gate?: Omit<GateOptions, 'shopOrigins'>;
  readonly tab?: BrowserContextOptions;
}

let sdk: Promise<ServedFile> | null = null;

/**
 * Opens a partner's page with only our SDK, under the strictest policy that allows a checkout: it may load only its own script, call only
 * the API and frame only the checkout.
 */
export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { policy = {}, isListed = true, prepare, content = '', gate: gateOptions = {} } = options;
  const [tab, site, widget] = await Promise.all([openTab(options.tab), servePages(), fakeWidget()]);
  const gate = await startGate({ ...gateOptions, shopOrigins: [isListed ? site.origin : 'http://127.0.0.1:9'] });
  // Closed before the gate stops, since an open page would report a connection error.
  onTestFinished(() => tab.context.close());
  site.serve('/shop.js', options.script ?? (await (sdk ??= bundlePage('shop.ts'))));
  const checkout = options.isReal === true ? gate.origins.sandboxWidget : widget.origin;
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'connect-src': gate.origins.sandbox,
    'frame-src': checkout,
    ...policy,
  };
  site.serve('/', { body: pageWith(content), headers: { 'content-security-policy': policyText(directives) } });
  await prepare?.(tab);
  await tab.page.goto(`${site.origin}/`);
  const config = {
    publishableKey: gate.keys.publishable,
    apiBaseUrl: gate.origins.sandbox,
    iframeUrl: checkout,
    // Tests of callbacks stay on the page.
    redirectOnSuccess: 'never' as const,
  };
  return { ...tab, site, gate, widget, config };
}

const policyText = (directives: Readonly<Record<string, string>>): string =>
  Object.entries(directives)
    .map((directive) => directive.join(' '))
    .join('; ');

const pageWith = (content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shop</title></head>
<body><h1>Shop</h1><div id="checkout">${content}</div><div id="other"></div><script src="/shop.js"></script></body>
</html>
`;
