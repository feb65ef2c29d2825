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
  /** What every checkout of this shop needs: its key and the addresses of this test. */
  readonly config: GateRampConfig;
}

export interface ShopOptions {
  /** Members of the page's Content-Security-Policy in place of its own. */
  readonly policy?: Readonly<Record<string, string>>;
  /** Whether the partner's list has the shop on it. */
  readonly isListed?: boolean;
  /** Before the page is opened, for what must be there from the start. */
  readonly prepare?: (tab: Tab) => Promise<unknown>;
  /** The hosted checkout itself in place of the fake one. */
  readonly isReal?: boolean;
  /** Of `tests/browser/page`, in place of `shop.ts`. */
  readonly script?: ServedFile;
  /** What stands in the page's `#checkout` from the start. */
  readonly content?: string;
  readonly gate?: Omit<GateOptions, 'shopOrigins'>;
  readonly tab?: BrowserContextOptions;
}

let sdk: Promise<ServedFile> | null = null;

/**
 * A partner's page with our SDK and nothing else, open in a tab, under the strictest policy that shows a checkout:
 * nothing may be loaded but the page's own script, called but the API, or framed but the checkout.
 */
export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { policy = {}, isListed = true, prepare, content = '', gate: gateOptions = {} } = options;
  const [tab, site, widget] = await Promise.all([openTab(options.tab), servePages(), fakeWidget()]);
  const gate = await startGate({ ...gateOptions, shopOrigins: [isListed ? site.origin : 'http://127.0.0.1:9'] });
  // Before the gate is: a page that still asks it would report a connection error.
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
    // Tests of a page's callbacks stay on that page.
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
