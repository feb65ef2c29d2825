import { docsPage, DOCS_POLICY, DOCS_STYLE } from './openapi/docs-page.js';
import { openApiDocument } from './openapi/open-api-document.js';

/** What describes the API and is no part of it: for anybody, on both hosts, never throttled, the same until the next release. */
export interface Page {
  readonly type: string;
  readonly body: () => string;
}

/** The pages by their path. */
export const PAGES: ReadonlyMap<string, Page> = new Map([
  ['/openapi.json', { type: 'application/json; charset=utf-8', body: once(() => JSON.stringify(openApiDocument())) }],
  ['/docs', { type: 'text/html; charset=utf-8', body: once(() => docsPage(openApiDocument())) }],
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

/** Half a megabyte that most processes are never asked for. */
function once(make: () => string): () => string {
  let made: string | null = null;
  return () => (made ??= make());
}
