import { docsPage, DOCS_POLICY, DOCS_STYLE } from './openapi/docs-page.js';
import type { Host } from './hosts.js';
import { openApiDocument } from './openapi/open-api-document.js';

/** A page that describes the API. It is public, never throttled, and constant until the next release. */
export interface Page {
  readonly type: string;
  /** `url` is where the host is served: its mount prefix, or `/`. */
  readonly body: (host: Host, url: string) => string;
}

/** The pages by their path. */
export const PAGES: ReadonlyMap<string, Page> = new Map([
  ['/openapi.json', { type: 'application/json; charset=utf-8', body: servedDocument }],
  ['/docs', { type: 'text/html; charset=utf-8', body: perHost((host) => docsPage(served(host, '/'))) }],
  ['/docs.css', { type: 'text/css; charset=utf-8', body: () => DOCS_STYLE }],
]);

export function pageHeaders({ type }: Page): Readonly<Record<string, string>> {
  return {
    'content-type': type,
    'cache-control': 'public, max-age=300',
    'content-security-policy': DOCS_POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

const served = (host: Host, url: string) => openApiDocument({ served: { host, url } });

/** Stands for the server in the kept text. No document contains it otherwise. */
const URL_PLACEHOLDER = '{host}';

const documentText = perHost((host) => JSON.stringify(served(host, URL_PLACEHOLDER)));

function servedDocument(host: Host, url: string): string {
  return documentText(host).replace(JSON.stringify(URL_PLACEHOLDER), () => JSON.stringify(url));
}

/** Half a megabyte each, made when a host is first asked for it. */
function perHost(make: (host: Host) => string): (host: Host) => string {
  const made = new Map<Host, string>();
  return (host) => {
    const text = made.get(host) ?? make(host);
    made.set(host, text);
    return text;
  };
}
