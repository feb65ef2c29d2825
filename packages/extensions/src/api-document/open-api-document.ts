import { ERROR_CODES, type ErrorCode, type RateRule, SECOND } from '@gateramp/core/domain';
import {
  ALL_HOSTS,
  type AnyEndpoint,
  CHECKOUT_HOSTS,
  ERROR,
  EVENT_TYPES,
  EVENTS,
  GLOBAL_TIERS,
  type Host,
  servesOn,
  statusOn,
} from '@gateramp/core/extension';
import { type Auth, CHECKOUT, ENGINE_ROUTES, errorType, type Routes, STATUSES, VERSION } from '@gateramp/core/http';
import type * as z from 'zod';
import { codeSamples } from './code-samples.js';
import { MEANINGS } from './error-meanings.js';
import { describeMembers, descriptionOf, type JsonSchema, jsonSchemas, type JsonSchemas } from './json-schemas.js';
import { OPERATION_DESCRIPTIONS } from './operation-descriptions.js';
import { EVERYWHERE, refusalsOf } from './refusals-of.js';
import { tagOf, tagsOf } from './tags.js';

/** Variants of the document. */
interface DocumentOptions {
  /** Whether replies exclude unlisted members. Open for clients, closed in tests that validate replies. */
  readonly closed?: boolean;
  /** What is described; by default, what the engine serves without extensions. */
  readonly routes?: Routes;
  /** The host that serves the document: only its operations are listed, with `url` as the server. All hosts by default. */
  readonly served?: { readonly host: Host; readonly url: string };
}

/** Renders the wire contract as OpenAPI 3.1 from the endpoint and event tables. */
export function openApiDocument({ closed = false, routes = ENGINE_ROUTES, served }: DocumentOptions = {}) {
  const bodies = jsonSchemas('input', { closed: true });
  const replies = jsonSchemas('output', { closed });
  const paths: Record<string, Record<string, unknown>> = {};
  const endpoints = routes.endpoints.filter((endpoint) => served === undefined || servesOn(endpoint, served.host));
  for (const endpoint of endpoints) {
    const hosts = endpoint.hosts === ALL_HOSTS ? routes.hosts : endpoint.hosts;
    const operation = operationOf(endpoint, hosts, bodies, replies);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation };
  }
  const webhooks = Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type, replies)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gateramp',
      version: VERSION,
      description:
        'Hosted checkout sessions to buy, sell and swap crypto. Clients ignore members they do not know: optional members, endpoints and event types are added without notice. No shape of `/v1` is broken: a breaking change is `/v2`, and both are served for at least twelve months after `/v2` is released.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: served === undefined ? SERVERS : [{ url: served.url, description: served.host.server.description }],
    tags: tagsOf(new Set(['docs', ...endpoints.map(({ path }) => tagOf(path))])),
    paths: { ...paths, ...pagePaths(routes.hosts, replies) },
    webhooks,
    'x-errors': X_ERRORS,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      schemas: { ...bodies.named(), ...replies.named() },
    },
  };
}

/** All events by type: when each is sent, its data, and an example envelope. */
export function eventCatalogue() {
  const schemas = jsonSchemas('output', { closed: false });
  const events = EVENT_TYPES.map((type) => [
    type,
    { when: EVENTS[type].when, data: schemas.of(EVENTS[type].data.schema), example: envelopeOf(type) },
  ]);
  return { events: Object.fromEntries(events) as JsonSchema, components: { schemas: schemas.named() } };
}

const SERVERS = [CHECKOUT.live.server, CHECKOUT.test.server] as const;

const SECURITY_SCHEMES = {
  secret: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_…`. Never in a browser.' },
  publishable: { type: 'http', scheme: 'bearer', description: 'A publishable key, `pk_…`.' },
  embed: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Embed-Token',
    description: 'The embed token of the bootstrap response.',
  },
} as const satisfies Record<Exclude<Auth, 'none' | 'any_key'>, JsonSchema>;

/** The scope is a role of the key, which OpenAPI 3.1 lets a security requirement name. */
function securityOf({ auth, scope }: Pick<AnyEndpoint, 'auth' | 'scope'>): readonly JsonSchema[] {
  if (auth === 'none') return [];
  const roles = scope === null ? [] : [scope];
  return auth === 'any_key' ? [{ secret: roles }, { publishable: [] }] : [{ [auth]: roles }];
}

const HEADERS = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'Id of this request. Quote it to support.' },
  'X-RateLimit-Limit-short': { schema: { type: 'integer' }, description: 'Requests allowed in the current window.' },
  'X-RateLimit-Remaining-short': { schema: { type: 'integer' }, description: 'Requests left in the current window.' },
  'X-RateLimit-Reset-short': { schema: { type: 'integer' }, description: 'Whole seconds until the window ends.' },
  'Retry-After-short': { schema: { type: 'integer' }, description: 'Whole seconds; add jitter.' },
} as const;

const ON_EVERY_ANSWER = headerRefs(
  'X-Request-Id',
  'X-RateLimit-Limit-short',
  'X-RateLimit-Remaining-short',
  'X-RateLimit-Reset-short',
);

function headerRefs(...names: readonly (keyof typeof HEADERS)[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function operationOf(
  endpoint: AnyEndpoint,
  hosts: readonly Host[],
  bodies: JsonSchemas,
  replies: JsonSchemas,
): JsonSchema {
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: descriptionOfOperation(endpoint),
    tags: [tagOf(endpoint.path)],
    'x-hosts': namesOf(hosts),
    security: securityOf(endpoint),
    ...(hosts.some((host) => CHECKOUT_HOSTS.includes(host)) ? {} : { servers: hosts.map(({ server }) => server) }),
    ...(endpoint.limits === null ? {} : { 'x-rate-limits': endpoint.limits.map(rateLimitOf) }),
    parameters: parametersOf(endpoint, bodies),
    ...requestBodyOf(endpoint, bodies),
    responses: responsesOf(endpoint, hosts, replies),
    'x-codeSamples': codeSamples(endpoint, exampleBody(endpoint, bodies)),
  };
}

/** An example request body; null if the operation takes no JSON body. */
function exampleBody({ body }: AnyEndpoint, bodies: JsonSchemas): JsonSchema | null {
  if (body.kind !== 'json') return null;
  // The examples of `jsonBody` are objects.
  const [example] = (bodies.whole(body.schema)['examples'] ?? []) as readonly JsonSchema[];
  return example ?? null;
}

function descriptionOfOperation({ name, limits, idempotency, scope }: AnyEndpoint): string {
  const scopeText = scope === null ? '' : `Restricted keys need the scope \`${scope}\`.`;
  return [OPERATION_DESCRIPTIONS[name], IDEMPOTENCY[idempotency], scopeText, limitText(limits)]
    .filter((text) => text !== undefined && text !== '')
    .join(' ');
}

const IDEMPOTENCY: Readonly<Record<AnyEndpoint['idempotency'], string>> = {
  required: 'Requires `Idempotency-Key`; a retry returns the original response.',
  honoured: 'With `Idempotency-Key`, a retry returns the original response.',
  ignored: '',
};

function limitText(limits: AnyEndpoint['limits']): string {
  if (limits === null) return 'Not rate limited.';
  const rates = limits.map(({ limit, windowMs }) => `${limit} requests per ${windowMs / SECOND} s`);
  return `Rate limit: ${rates.join(', ')}.`;
}

function rateLimitOf({ limit, windowMs }: RateRule) {
  return { limit, window_seconds: windowMs / SECOND };
}

function parametersOf(endpoint: AnyEndpoint, bodies: JsonSchemas): readonly JsonSchema[] {
  const { path, idempotency } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name ?? '', 'path', true));
  const key = { ...parameter('Idempotency-Key', 'header', idempotency === 'required'), schema: KEY };
  return [...inPath, ...queryParameters(endpoint, bodies), ...(idempotency === 'ignored' ? [] : [key])];
}

/** The query parameters of an endpoint, as the document lists them. */
export function queryParameters({ query }: Pick<AnyEndpoint, 'query'>, bodies: JsonSchemas): readonly JsonSchema[] {
  return Object.entries(query.parameters ?? {}).map(([name, schema]) => ({
    ...parameter(name, 'query', !schema.safeParse(undefined).success),
    schema: bodies.of(schema),
  }));
}

function parameter(name: string, place: string, required: boolean) {
  const description = descriptionOf(name, ['operation']);
  return { name, in: place, required, description, schema: { type: 'string' } as JsonSchema };
}

const KEY = { type: 'string', minLength: 1, maxLength: 255 };

const MIB = 1024 * 1024;

function requestBodyOf({ body }: AnyEndpoint, bodies: JsonSchemas): JsonSchema {
  if (body.kind === 'file')
    return {
      requestBody: {
        required: true,
        description: `The bytes of the file, up to ${body.bytesMax / MIB} MiB. They must match \`Content-Type\`.`,
        content: Object.fromEntries(body.mediaTypes.map((type) => [type, {}])),
      },
    };
  if (body.kind !== 'json')
    return body.kind === 'none' ? {} : { requestBody: { required: true, content: { 'application/json': {} } } };
  const required = !body.schema.safeParse({}).success;
  return { requestBody: { required, content: jsonContent(bodies.of(body.schema)) } };
}

/** The `content` of a JSON body. */
export function jsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function responsesOf(endpoint: AnyEndpoint, hosts: readonly Host[], replies: JsonSchemas): JsonSchema {
  const reply = { headers: ON_EVERY_ANSWER, content: jsonContent(replies.of(endpoint.reply.schema)) };
  const responses: Record<string, unknown> = { [endpoint.success]: { description: endpoint.summary, ...reply } };
  if (endpoint.known !== null) responses[endpoint.known] = { description: 'The object already existed.', ...reply };
  if (endpoint.caching !== null) responses['304'] = { description: 'Not modified.', headers: ON_EVERY_ANSWER };
  // `default` applies only to statuses that are not listed, so codes of all requests are also listed under their status.
  const anywhere = byStatus(EVERYWHERE, hosts);
  for (const [status, codes] of byStatus(refusalsOf(endpoint, hosts), hosts))
    responses[status] = refusal([...new Set([...codes, ...(anywhere.get(status) ?? [])])], replies);
  responses['default'] = refusal(EVERYWHERE, replies);
  return responses;
}

function byStatus(codes: readonly ErrorCode[], hosts: readonly Host[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    for (const status of new Set(hosts.map((host) => statusOn(host, code))))
      found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

function refusal(codes: readonly ErrorCode[], replies: JsonSchemas): JsonSchema {
  const retry =
    codes.includes('rate_limit_exceeded') || codes.includes('service_unavailable')
      ? headerRefs('Retry-After-short')
      : {};
  const schema = { allOf: [replies.of(ERROR)], properties: { code: { enum: codes } } };
  return { description: codes.join(', '), headers: { ...ON_EVERY_ANSWER, ...retry }, content: jsonContent(schema) };
}

function webhookOf(type: (typeof EVENT_TYPES)[number], replies: JsonSchemas): JsonSchema {
  const schema = {
    type: 'object',
    required: ['id', 'type', 'created_at', 'sequence', 'livemode', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid', description: 'The same on every retry; deduplicate by it.' },
      type: { const: type },
      created_at: { type: 'integer', description: 'Unix epoch seconds.' },
      sequence: { type: ['integer', 'null'], description: 'Gap-free within a session, from 1.' },
      livemode: { type: 'boolean' },
      data: replies.of(dataOf(type)),
    },
    examples: [envelopeOf(type)],
  };
  return {
    post: {
      operationId: type.replaceAll('.', '_'),
      security: [],
      summary: EVENTS[type].when,
      description: 'Sent as a signed POST. Any 2xx acknowledges it; the response body is ignored.',
      requestBody: { content: jsonContent(describeMembers(schema, ['webhook'])) },
      responses: { '2XX': { description: 'Acknowledged.' } },
    },
  };
}

function dataOf(type: (typeof EVENT_TYPES)[number]): z.ZodType {
  return EVENTS[type].data.schema;
}

function envelopeOf(type: (typeof EVENT_TYPES)[number]): JsonSchema {
  const { example } = EVENTS[type].data;
  return {
    id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    type,
    created_at: 1_893_499_440,
    sequence: 'session_id' in example || example.object === 'gate_session' ? 1 : null,
    livemode: example.mode === 'live',
    data: example,
  };
}

/** The meaning of each error code, shown at its `doc_url`. */
const X_ERRORS: JsonSchema = Object.fromEntries(
  ERROR_CODES.map((code) => [
    code,
    { status: STATUSES[code], type: errorType(STATUSES[code]), meaning: MEANINGS[code] },
  ]),
);

/** Pages that describe the API, served by every host. */
function pagePaths(hosts: readonly Host[], replies: JsonSchemas): Record<string, Record<string, unknown>> {
  const page = (operationId: string, summary: string, type: string): Record<string, unknown> =>
    pagePath({ operationId, summary, type, hosts }, replies);
  return {
    '/openapi.json': page('openApi', 'This document', 'application/json'),
    '/docs': page('docs', 'This document as a page', 'text/html'),
    '/docs.css': page('docsStyle', 'Styles of that page', 'text/css'),
  };
}

function namesOf(hosts: readonly Host[]): readonly string[] {
  return hosts.map(({ name }) => name);
}

interface PageOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly type: string;
  readonly hosts: readonly Host[];
}

function pagePath({ operationId, summary, type, hosts }: PageOperation, replies: JsonSchemas): Record<string, unknown> {
  const found = { description: summary, headers: ON_EVERY_ANSWER, content: { [type]: {} } };
  return {
    get: {
      operationId,
      summary,
      description: `${OPERATION_DESCRIPTIONS[operationId]} ${limitText(GLOBAL_TIERS)}`,
      tags: ['docs'],
      'x-hosts': namesOf(hosts),
      security: [],
      'x-rate-limits': GLOBAL_TIERS.map(rateLimitOf),
      responses: { '200': found, '429': refusal(['rate_limit_exceeded'], replies) },
    },
  };
}
