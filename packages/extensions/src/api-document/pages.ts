import { ERROR_CODES } from '@gateramp/core/domain';
import { type AnyEndpoint, type Host, type Page, servesOn } from '@gateramp/core/extension';
import type { Routes } from '@gateramp/core/http';
import { openApiDocument } from './open-api-document.js';
import { errorText, tagName, tagOf, tagsOf } from './tags.js';

/**
 * An overview of the host's operations and the meaning of each error code, which is the target of `doc_url`. Static, without scripts or
 * third-party resources. Fields and examples are in the OpenAPI document; the reference server shows them in full.
 */
function docsPage(routes: Routes, host: Host): string {
  const endpoints = routes.endpoints.filter((endpoint) => servesOn(endpoint, host));
  const tags = tagsOf(new Set(endpoints.map(({ path }) => tagOf(path)))).map(({ name }) => name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gateramp API reference</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<div id="overview">
<nav aria-label="Contents"><ul>${tags.map((tag) => `<li><a href="#${tag}">${titleOf(tag)}</a></li>`).join('')}</ul></nav>
<main>
<h1>Gateramp</h1>
<p>Hosted checkout sessions to buy, sell and swap crypto. Every field and example is in <a href="openapi.json">openapi.json</a>, as OpenAPI 3.1.</p>
${tags
  .filter((tag) => tag !== 'errors')
  .map((tag) => resourceSection(tag, endpoints))
  .join('\n')}
<section id="errors"><h2>Errors</h2>
${ERROR_CODES.map((code) => `<section id="${code}"><h3><code>${code}</code></h3><p>${safe(errorText(code))}</p></section>`).join('\n')}
</section>
</main>
</div>
</body>
</html>
`;
}

function titleOf(tag: string): string {
  return tag === 'errors' ? 'Errors' : safe(tagName(tag));
}

function resourceSection(tag: string, endpoints: readonly AnyEndpoint[]): string {
  const operations = endpoints
    .filter(({ path }) => tagOf(path) === tag)
    .map(({ method, path, summary }) => `<dt><code>${method} ${path}</code></dt><dd>${safe(summary)}</dd>`);
  return `<section id="${tag}"><h2>${titleOf(tag)}</h2><dl>${operations.join('')}</dl></section>`;
}

/** Escapes text for HTML. */
function safe(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Allows only the page's own style sheet; no scripts, forms or frames. */
const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DOCS_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; }
#overview { display: grid; grid-template-columns: 18rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif; }
#overview nav { position: sticky; top: 0; box-sizing: border-box; height: 100vh; overflow: auto; padding: 3rem 1.25rem; border-right: 1px solid #8884; font-size: .875rem; }
#overview ul { list-style: none; margin: 0; padding: 0; }
#overview nav a { display: block; padding: .35rem 0; color: inherit; text-decoration: none; }
#overview main { padding: 4.5rem 3.75rem; max-width: 56rem; }
#overview h1 { margin: 0; font-size: 1.5rem; }
#overview h2 { margin-top: 3rem; font-size: 1.5rem; }
#overview section section:target { outline: 2px solid; outline-offset: .5rem; }
#overview dd { margin: 0 0 .75rem; }
#overview code { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
@media (max-width: 50rem) { #overview { display: block; } #overview nav { position: static; height: auto; border: 0; padding-bottom: 0; } #overview main { padding: 1.5rem 1.25rem; } }
`;

/** The paths of the pages, which every host serves. */
export const PAGE_PATHS = ['/openapi.json', '/docs', '/docs.css'] as const;

/** The pages that describe these routes, the same for a whole release. */
export function pagesOf(routes: Routes): readonly Page[] {
  const document = perHost((host) =>
    JSON.stringify(openApiDocument({ routes, served: { host, url: URL_PLACEHOLDER } })),
  );
  const [openApi, docs, style] = PAGE_PATHS;
  return [
    {
      path: openApi,
      headers: headersOf('application/json'),
      body: (host, url) => document(host).replace(JSON.stringify(URL_PLACEHOLDER), () => JSON.stringify(url)),
    },
    {
      path: docs,
      headers: headersOf('text/html'),
      body: perHost((host) => docsPage(routes, host)),
      explainsErrors: true,
    },
    { path: style, headers: headersOf('text/css'), body: () => DOCS_STYLE },
  ];
}

/** Placeholder for the server URL in the cached text; occurs nowhere else in it. */
const URL_PLACEHOLDER = '{host}';

function headersOf(type: string): Readonly<Record<string, string>> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=300',
    'content-security-policy': DOCS_POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** Each document is half a megabyte, so it is rendered on the first request per host. */
function perHost(make: (host: Host) => string): (host: Host) => string {
  const made = new Map<Host, string>();
  return (host) => {
    const text = made.get(host) ?? make(host);
    made.set(host, text);
    return text;
  };
}
