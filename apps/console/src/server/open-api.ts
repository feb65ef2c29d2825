import { type AnyEndpoint as GateEndpoint, routesOf, VERSION } from '@gateramp/core/http';
import { sandbox } from '@gateramp/extensions/sandbox';
import {
  jsonContent,
  type JsonSchema,
  jsonSchemas,
  type JsonSchemas,
  queryParameters,
} from '@gateramp/extensions/api-document';
import * as z from 'zod';
import { APPROVAL, OPERATORS_DECIDE } from './approval-endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { CONSOLE_STATUSES } from './refusal.js';

/** Renders endpoints as OpenAPI 3.1. Resources of `/v1` are its components, under the same names. */
export function openApiOf(endpoints: readonly AnyEndpoint[]): JsonSchema {
  const schemas: Schemas = {
    gate: { bodies: jsonSchemas('input', { closed: true }), replies: jsonSchemas('output', { closed: false }) },
    bodies: jsonSchemas('input', { closed: true, metadata: z.globalRegistry }),
    replies: jsonSchemas('output', { closed: false, metadata: z.globalRegistry }),
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = `/console/v1${endpoint.path}`;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) };
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
      schemas: componentsOf(schemas),
    },
  };
}

/** Own schemas, which have their names from `.meta`, and those of `/v1`. */
interface Schemas {
  readonly gate: { readonly bodies: JsonSchemas; readonly replies: JsonSchemas };
  readonly bodies: JsonSchemas;
  readonly replies: JsonSchemas;
}

function componentsOf({ gate, bodies, replies }: Schemas): JsonSchema {
  const all = [gate.bodies, gate.replies, bodies, replies].flatMap((one) => Object.entries(one.named()));
  return Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const { endpoints: GATE_ENDPOINTS } = routesOf([sandbox()]);

/** The operation of `/v1` that an endpoint mirrors; null if none. */
function mirroredBy({ mirrors }: AnyEndpoint): GateEndpoint | null {
  return GATE_ENDPOINTS.find(({ name }) => name === mirrors) ?? null;
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

function operationOf(endpoint: AnyEndpoint, schemas: Schemas): JsonSchema {
  const { name, summary, audience, success, path, method } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
    name: param,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const reply = replyOf(endpoint, schemas);
  return {
    operationId: name,
    summary,
    description: descriptionOf(endpoint),
    tags: [path.split('/')[1]?.replace('.json', '') ?? 'console'],
    security: audience === 'public' ? [] : [{ session: [] }],
    'x-audience': audience,
    'x-roles': endpoint.needs,
    parameters: [...inPath, ...queryOf(endpoint, schemas), ...(audience === 'partner' ? SCOPE_PARAMETERS : [])],
    ...(method === 'GET' ? {} : { requestBody: requestBody(endpoint, schemas) }),
    responses: {
      [success]: { description: summary, ...(reply === null ? {} : { content: reply }) },
      ...(endpoint.secondPerson === undefined ? {} : { 202: requested(schemas) }),
      default: {
        description: `A refusal: ${Object.keys(CONSOLE_STATUSES).join(', ')}, or a code of /v1.`,
        content: jsonContent(schemas.replies.of(REFUSED)),
      },
    },
  };
}

function requested({ replies }: Schemas): JsonSchema {
  const content = jsonContent(replies.of(APPROVAL));
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

function queryOf(endpoint: AnyEndpoint, { gate, bodies }: Schemas): readonly JsonSchema[] {
  const { query } = endpoint;
  const mirrored = mirroredBy(endpoint);
  if (query === null) return mirrored === null ? [] : queryParameters(mirrored, gate.bodies);
  const given = bodies.of(query);
  const required = Array.isArray(given['required']) ? given['required'] : [];
  return Object.entries(propertiesOf(given)).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

const REASON = z.object({ reason: z.string().optional().describe('Why, for the audit trail.') });

function requestBody(endpoint: AnyEndpoint, schemas: Schemas): JsonSchema {
  const { reason, body } = endpoint;
  const own = body === 'mirrored' || body === null ? z.object({}) : body;
  const schema =
    body === 'mirrored' ? mirroredBody(endpoint, schemas) : schemas.bodies.of(own.extend(REASON.shape).strict());
  return { required: !own.safeParse({}).success, description: REASONS[reason], content: jsonContent(schema) };
}

/** The closed body of `/v1` with a reason. */
function mirroredBody(endpoint: AnyEndpoint, { gate, bodies }: Schemas): JsonSchema {
  const body = mirroredBy(endpoint)?.body;
  if (body?.kind !== 'json') throw new Error(`${endpoint.name} mirrors no operation with a JSON body.`);
  const schema = gate.bodies.whole(body.schema);
  return { ...schema, properties: { ...propertiesOf(schema), ...propertiesOf(bodies.of(REASON)) } };
}

function propertiesOf({ properties = {} }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  // A schema of an object, whose properties are schemas.
  return properties as Readonly<Record<string, JsonSchema>>;
}

const REASONS: Readonly<Record<AnyEndpoint['reason'], string>> = {
  never: 'JSON.',
  live: 'JSON. In live mode a change needs `reason`.',
  always: 'JSON. This change needs `reason`.',
};

function replyOf(endpoint: AnyEndpoint, { gate, replies }: Schemas): JsonSchema | null {
  const { reply, success, contentType = 'application/json' } = endpoint;
  if (reply === null) {
    const mirrored = success === 204 ? null : mirroredBy(endpoint);
    return mirrored === null ? null : jsonContent(gate.replies.of(mirrored.reply.schema));
  }
  if (!('extends' in reply)) return { [contentType]: { schema: replies.of(reply) } };
  const known = GATE_ENDPOINTS.find((one) => one.reply.name === reply.extends);
  if (known === undefined) throw new Error(`/v1 answers no ${reply.extends}.`);
  const members = replies.of(reply.members);
  return jsonContent({ allOf: [gate.replies.of(known.reply.schema), withItems(members, known.reply.schema, gate)] });
}

/** The further members of the items of a list belong to whole items, so that types of the document have one kind of item. */
function withItems(members: JsonSchema, known: z.ZodType, gate: Schemas['gate']): JsonSchema {
  const list: unknown = known instanceof z.ZodObject ? known.shape['data'] : undefined;
  const data = propertiesOf(members)['data'];
  if (!(list instanceof z.ZodArray) || !(list.element instanceof z.ZodType) || data === undefined) return members;
  const items = { allOf: [gate.replies.of(list.element), data['items']] };
  return { ...members, properties: { ...propertiesOf(members), data: { ...data, items } } };
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
