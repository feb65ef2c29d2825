import { bundlePage } from '../bundle-page.js';
import { script, servePages, type ServedFile, type Site } from '../serve-pages.js';
import { startGate, type CreatedSession, type RunningGate } from '../start-gate.js';

/** A shop with an open session. */
export interface Store {
  readonly site: Site;
  readonly gate: RunningGate;
  readonly session: CreatedSession;
  /** The URL of the shop page in which the SDK mounts the checkout. */
  readonly embedding: string;
  /** The URL of the hosted full page for this session. */
  readonly fullPage: string;
  readonly widget: string;
}

let sdk: Promise<ServedFile> | null = null;

/** Opens a shop on its own origin until the test ends. */
export async function openStore(terms: Readonly<Record<string, unknown>>): Promise<Store> {
  const site = await servePages();
  const gate = await startGate({ shopOrigins: [site.origin] });
  const session = await gate.createSession(terms);
  const { client_secret: clientSecret } = session;
  const publishableKey = gate.keys.publishable;
  const widget = gate.origins.sandboxWidget;
  const config = {
    publishableKey,
    clientSecret,
    apiBaseUrl: gate.origins.sandbox,
    iframeUrl: widget,
    redirectOnSuccess: 'never',
  };
  site.serve(
    '/',
    page('Shop', '<div id="checkout"></div><script src="/shop.js"></script><script src="/open.js"></script>'),
  );
  site.serve('/shop.js', await (sdk ??= bundlePage('shop.ts')));
  site.serve('/open.js', script(`shop.open(${JSON.stringify(config)});`));
  site.serve('/done', page('Thank you', ''));
  const query = new URLSearchParams({ client_secret: clientSecret, publishableKey });
  return { site, gate, session, widget, embedding: `${site.origin}/`, fullPage: `${widget}/?${query.toString()}` };
}

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"></head><body><h1>${title}</h1>${body}</body></html>`;
