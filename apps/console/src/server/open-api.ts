import { VERSION } from '@gateramp/core/http';
import { openApiDocument } from '@gateramp/extensions/api-document';
import * as z from 'zod';
import { APPROVAL, OPERATORS_DECIDE } from './approval-endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { CONSOLE_STATUSES } from './refusal.js';

type Json = Readonly<Record<string, unknown>>;

/** Renders endpoints as OpenAPI 3.1. Resources of `/v1` are its components, under the same names. */
export function openApiOf(endpoints: readonly AnyEndpoint[]): Json {
  const gate = openApiDocument();
  const operations = operationsByName(gate.paths);
  const schemas = new Schemas(gate.components.schemas);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = `/console/v1${endpoint.path}`;
    const mirrored = endpoint.mirrors === undefined ? null : (operations.get(endpoint.mirrors) ?? null);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, mirrored, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gateramp console',
      version: VERSION,
      description:
        'The API of the console, for partners and operators. Everything that its page shows and does is here. The header `gate-now` of an answer is the time of the server, and `gate-sandbox-now` that of the sandbox it is about, in epoch milliseconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-gate_console',
          description: 'The session; `gate_console` on loopback http. Operators may instead be known to the host.',
        },
      },
      schemas: schemas.used(),
    },
  };
}

/** Own schemas by their names, and those of `/v1` that are referred to. */
class Schemas {
  private readonly names = new Map<string, unknown>();

  constructor(private readonly known: Readonly<Record<string, unknown>>) {}

  of(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const {
      $schema: _,
      $defs: definitions = {},
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json & { $defs?: Record<string, Json> };
    const id = schema.meta()?.id;
    for (const [name, one] of Object.entries(definitions)) this.names.set(name, component(one, io));
    if (id === undefined) return this.ref(component(rest, io));
    // A schema with a name may be among its own definitions, and is then a reference to that.
    if (definitions[id] === undefined) this.names.set(id, component(rest, io));
    return this.ref({ $ref: `#/components/schemas/${id}` });
  }

  /** A closed body of `/v1` with more members. */
  withMembers(body: unknown, more: unknown): Json {
    const [, name = ''] = /([^/]+)$/.exec(String((body as Json)['$ref'])) ?? [];
    const known = this.known[name] as Json;
    const { properties } = more as Json;
    return this.ref({ ...known, properties: { ...(known['properties'] as Json), ...(properties as Json) } });
  }

  /** Takes what a part of the document of `/v1` refers to into this document. */
  ref<Part>(part: Part): Part {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (this.names.has(name)) continue;
      const schema = this.known[name];
      if (schema === undefined) continue;
      this.names.set(name, schema);
      this.ref(schema);
    }
    return part;
  }

  used(): Json {
    return Object.fromEntries([...this.names].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Definitions are components here. Replies may get more members; clients ignore those they do not know. */
function component({ id: _, ...schema }: Json, io: 'input' | 'output'): Json {
  const text = JSON.stringify(schema, (name, value: unknown) =>
    io === 'output' && name === 'additionalProperties' && value === false ? undefined : value,
  );
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

function operationsByName(paths: Readonly<Record<string, unknown>>): ReadonlyMap<string, Json> {
  const all = Object.values(paths).flatMap((path) => Object.values(path as Record<string, Json>));
  return new Map(all.map((one) => [String(one['operationId']), one]));
}

const SCOPE_PARAMETERS = [
  {
    name: 'partner',
    in: 'query',
    required: false,
    description: 'The partner. Operators must name it; another one than the session’s is not found.',
    schema: { type: 'string' },
  },
  {
    name: 'mode',
    in: 'query',
    required: false,
    description: 'The mode. Operators must name it; another one than the session’s is not found.',
    schema: { enum: ['test', 'live'] },
  },
] as const;

function operationOf(endpoint: AnyEndpoint, mirrored: Json | null, schemas: Schemas): Json {
  const { name, summary, audience, success, path, query, method } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const given = (mirrored?.['parameters'] ?? []) as readonly Json[];
  const inQuery = query === null ? given.filter((one) => one['in'] === 'query') : queryParameters(query, schemas);
  const reply = replyOf(endpoint, mirrored, schemas);
  return {
    operationId: name,
    summary,
    description: descriptionOf(endpoint),
    tags: [path.split('/')[1]?.replace('.json', '') ?? 'console'],
    security: audience === 'public' ? [] : [{ session: [] }],
    'x-audience': audience,
    'x-roles': endpoint.needs,
    parameters: [...inPath, ...schemas.ref(inQuery), ...(audience === 'partner' ? SCOPE_PARAMETERS : [])],
    ...(method === 'GET' ? {} : { requestBody: requestBody(endpoint, mirrored, schemas) }),
    responses: {
      [success]: { description: summary, ...(reply === null ? {} : { content: reply }) },
      ...(endpoint.secondPerson === undefined ? {} : { 202: requested(schemas) }),
      default: {
        description: `A refusal: ${Object.keys(CONSOLE_STATUSES).join(', ')}, or a code of /v1.`,
        content: { 'application/json': { schema: schemas.of(REFUSED, 'output') } },
      },
    },
  };
}

function requested(schemas: Schemas): Json {
  const content = { 'application/json': { schema: schemas.of(APPROVAL, 'output') } };
  return { description: 'In live mode: stored as an approval until a second person has approved it.', content };
}

const REFUSED = z
  .object({
    type: z.string(),
    code: z.string(),
    message: z.union([z.string(), z.array(z.string())]),
    request_id: z.string(),
    doc_url: z.string().nullable(),
    statusCode: z.int(),
    errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'ConsoleError', description: 'The error envelope of `/v1`, with the codes of the console.' });

function queryParameters(query: z.ZodType, schemas: Schemas): readonly Json[] {
  const { properties = {}, required = [] } = schemas.of(query, 'input') as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

const REASON = z.object({ reason: z.string().optional().describe('Why, for the audit trail.') });

function requestBody({ reason, body }: AnyEndpoint, mirrored: Json | null, schemas: Schemas): Json {
  const isMirrored = body === 'mirrored';
  const own = isMirrored || body === null ? z.object({}) : body;
  const schema = isMirrored
    ? schemas.withMembers(jsonOf(mirrored?.['requestBody'])['schema'], schemas.of(REASON, 'input'))
    : schemas.of(own.extend(REASON.shape).strict(), 'input');
  return {
    required: !own.safeParse({}).success,
    description: REASONS[reason],
    content: { 'application/json': { schema } },
  };
}

/** The JSON content of a request body of the document. */
function jsonOf(part: unknown): Json {
  const { content } = (part ?? {}) as { content?: Readonly<Record<string, Json>> };
  return content?.['application/json'] ?? {};
}

const REASONS: Readonly<Record<AnyEndpoint['reason'], string>> = {
  never: 'JSON.',
  live: 'JSON. In live mode a change needs `reason`.',
  always: 'JSON. This change needs `reason`.',
};

function replyOf(endpoint: AnyEndpoint, mirrored: Json | null, schemas: Schemas): Json | null {
  const { reply, success } = endpoint;
  if (reply !== null && 'extends' in reply) {
    const known = schemas.ref({ $ref: `#/components/schemas/${reply.extends}` });
    return { 'application/json': { schema: { allOf: [known, schemas.of(reply.members, 'output')] } } };
  }
  if (reply !== null) return { [endpoint.contentType ?? 'application/json']: { schema: schemas.of(reply, 'output') } };
  if (success === 204 || mirrored === null) return null;
  const responses = mirrored['responses'] as Readonly<Record<string, { content?: Json }>>;
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  return schemas.ref(found?.[1].content ?? null);
}

function descriptionOf({ name, audience, needs, mirrors, secondPerson }: AnyEndpoint): string {
  const roles =
    needs === null
      ? 'Public.'
      : typeof needs === 'string'
        ? `Role: ${needs}.`
        : `Role: ${needs.test} in test mode, ${needs.live} in live mode.`;
  return [
    roles,
    audience === 'operators' ? 'For operators, about the partners that they see.' : '',
    audience === 'installation' ? 'For operators of all partners.' : '',
    secondPerson === undefined || OPERATORS_DECIDE.includes(name)
      ? ''
      : secondPerson.isRequired === undefined
        ? 'In live mode a second person must approve it.'
        : 'In live mode a second person must approve it, unless one person is enough as described.',
    mirrors === undefined ? '' : `Answers like \`${mirrors}\` of /v1.`,
  ]
    .filter((one) => one !== '')
    .join(' ');
}
