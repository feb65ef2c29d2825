import type { Host } from '../hosts.js';
import type { JsonSchema } from './json-schemas.js';
import { openApiDocument } from './open-api-document.js';

/**
 * The document as a page: static, no script, nothing of another origin. It is written from the document alone, so it says
 * neither more nor less. Every refusal code is an anchor: `doc_url` leads there.
 */
export function docsPage(document: JsonSchema): string {
  const operations = operationsIn(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${textAt(document, 'info', 'title')} API</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<nav aria-label="Contents">
<h2>Endpoints</h2><ul>${operations.map((one) => `<li>${link(one.id, one.name)}</li>`).join('')}</ul>
<h2>Events</h2><ul>${names(document, 'webhooks')
    .map((type) => `<li>${link(type, type)}</li>`)
    .join('')}</ul>
<h2>${link('errors', 'Errors')}</h2><h2>${link('shapes', 'Shapes')}</h2>
</nav>
<main>
<h1>${textAt(document, 'info', 'title')} API</h1>
<p>${textAt(document, 'info', 'description')} The same as OpenAPI 3.1: <a href="openapi.json">openapi.json</a>.</p>
<h2>Endpoints</h2>
${operations.map(operationSection).join('\n')}
<h2>Events</h2>
${names(document, 'webhooks')
  .map((type) => eventSection(type, at(document, 'webhooks', type, 'post')))
  .join('\n')}
<h2 id="errors">Errors</h2>
${names(document, 'x-errors')
  .map((code) => errorSection(code, at(document, 'x-errors', code), operations))
  .join('\n')}
<h2 id="shapes">Shapes</h2>
${names(at(document, 'components'), 'schemas')
  .map((name) => shapeSection(name, at(document, 'components', 'schemas', name)))
  .join('\n')}
</main>
</body>
</html>
`;
}

/** Nothing may be loaded but the page's own style; nothing runs, is posted or framed. */
const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DOCS_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template-columns: minmax(14rem, 20rem) minmax(0, 1fr); }
nav { padding: 1rem; height: 100vh; overflow: auto; position: sticky; top: 0; box-sizing: border-box; font-size: .85rem; }
nav ul { list-style: none; padding: 0; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
section { border-top: 1px solid #8884; padding: .5rem 0; }
section:target { outline: 2px solid; outline-offset: .3rem; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { overflow: auto; padding: .8rem; background: #8881; border-radius: .4rem; max-height: 30rem; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
`;

interface Operation {
  readonly id: string;
  readonly name: string;
  readonly details: JsonSchema;
}

function operationsIn(document: JsonSchema): readonly Operation[] {
  return names(document, 'paths').flatMap((path) =>
    Object.keys(at(document, 'paths', path)).map((method) => {
      const details = at(document, 'paths', path, method);
      return { id: String(details['operationId']), name: `${method.toUpperCase()} ${path}`, details };
    }),
  );
}

function operationSection({ id, name, details }: Operation): string {
  const parameters = listAt(details, 'parameters').map(
    (one) =>
      `<tr><td><code>${safe(String(one['name']))}</code></td><td>${safe(String(one['in']))}${one['required'] === true ? ', required' : ''}</td><td>${safe(String(one['description']))} ${brief(at(one, 'schema'))}</td></tr>`,
  );
  const answers = names(details, 'responses').map(
    (status) => `<tr><td>${safe(status)}</td><td>${answerOf(status, at(details, 'responses', status))}</td></tr>`,
  );
  const body = bodyOf(details);
  return `<section id="${safe(id)}"><h3><code>${safe(name)}</code></h3>
<p>${safe(String(details['summary']))}. ${safe(String(details['description']))} ${credentialOf(details)} Hosts: ${safe(listText(details['x-hosts']))}.</p>
${parameters.length === 0 ? '' : `<table>${parameters.join('')}</table>`}
${body === null ? '' : `<p>Body: ${brief(body)}</p>`}
<table>${answers.join('')}</table></section>`;
}

function answerOf(status: string, response: JsonSchema): string {
  if (status === 'default' || Number(status) >= 400) {
    return String(response['description'])
      .split(', ')
      .map((code) => link(code, code))
      .join(', ');
  }
  const schema = at(response, 'content', 'application/json', 'schema');
  return '$ref' in schema ? brief(schema) : safe(String(response['description']));
}

function credentialOf(details: JsonSchema): string {
  const [scheme] = listAt(details, 'security').flatMap((one) => Object.keys(one));
  return scheme === undefined ? 'No credential.' : `Credential: ${safe(scheme)}.`;
}

function bodyOf(details: JsonSchema): JsonSchema | null {
  const schema = at(details, 'requestBody', 'content', 'application/json', 'schema');
  return Object.keys(schema).length === 0 ? null : schema;
}

function eventSection(type: string, details: JsonSchema): string {
  const [example] = listAt(at(details, 'requestBody', 'content', 'application/json', 'schema'), 'examples');
  return `<section id="${safe(type)}"><h3><code>${safe(type)}</code></h3><p>${safe(String(details['summary']))}</p>${json(example)}</section>`;
}

function errorSection(code: string, said: JsonSchema, operations: readonly Operation[]): string {
  const by = operations.filter(({ details }) =>
    Object.values(at(details, 'responses')).some((response) => codesOf(response).includes(code)),
  );
  return `<section id="${safe(code)}"><h3><code>${safe(code)}</code></h3><p>${safe(String(said['status']))} ${safe(String(said['type']))}. ${safe(String(said['meaning']))}</p>
${by.length === 0 || by.length === operations.length ? '<p>From any endpoint.</p>' : `<p>From ${by.map((one) => link(one.id, one.name)).join(', ')}.</p>`}</section>`;
}

function codesOf(response: unknown): readonly string[] {
  const codes = at(isMembers(response) ? response : {}, 'content', 'application/json', 'schema', 'properties', 'code')[
    'enum'
  ];
  return Array.isArray(codes) ? codes.map(String) : [];
}

function shapeSection(name: string, schema: JsonSchema): string {
  const { description, examples, ...rest } = schema;
  return `<section id="shape-${safe(name)}"><h3>${safe(name)}</h3><p>${safe(String(description))}</p>${json(Array.isArray(examples) ? examples[0] : undefined)}<details><summary>Schema</summary>${json(rest)}</details></section>`;
}

function brief(schema: JsonSchema): string {
  const ref = schema['$ref'];
  if (typeof ref !== 'string') return `<code>${safe(JSON.stringify(schema))}</code>`;
  const name = ref.split('/').at(-1) ?? '';
  return link(`shape-${name}`, name);
}

function json(value: unknown): string {
  return value === undefined ? '' : `<pre>${safe(JSON.stringify(value, null, 2))}</pre>`;
}

function link(id: string, text: string): string {
  return `<a href="#${safe(id)}">${safe(text)}</a>`;
}

/** Text enters the page as text only. */
function safe(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function textAt(document: JsonSchema, part: string, name: string): string {
  return safe(String(at(document, part)[name]));
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : '';
}

function names(members: JsonSchema, name: string): readonly string[] {
  return Object.keys(at(members, name));
}

function listAt(members: JsonSchema, name: string): readonly JsonSchema[] {
  const list = members[name];
  return Array.isArray(list) ? list.filter(isMembers) : [];
}

/** Empty where there is nothing. */
function at(members: JsonSchema, ...path: readonly string[]): JsonSchema {
  return path.reduce<JsonSchema>((found, name) => {
    const value = found[name];
    return isMembers(value) ? value : {};
  }, members);
}

function isMembers(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
