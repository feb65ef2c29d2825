import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { format } from 'oxfmt';

/**
 * Writes `src/generated/`: the types of requests and responses, and the hosts, from `spec/openapi.json` and `spec/events.json`. Run by `npm
 * run openapi`; a test fails if the files differ from its output.
 */
const folder = (path) => new URL(path, import.meta.url);
const read = (name) => JSON.parse(readFileSync(folder(`../../../spec/${name}.json`), 'utf8'));

/** Tags of operations that a server with a secret key does not use. */
const foreignTags = ['embed', 'providers', 'health', 'docs'];

/** @returns {Promise<Readonly<Record<string, string>>>} text by file name */
export async function generatedTypes() {
  const api = read('openapi');
  const { events } = read('events');
  const operations = operationsOf(api);
  const schemas = api.components.schemas;
  const bodies = namesOf(operations.map(({ requestBody }) => requestBody));
  const answers = namesOf([...operations.map(({ responses }) => successOf(responses)), events]);
  const objects = closure(answers, schemas).filter((name) => !isList(schemas[name]));
  const files = {
    ...Object.fromEntries(
      Object.keys(answerFiles).map((file) => [
        `${file}.ts`,
        [
          OPEN,
          ...declare(
            objects.filter((name) => fileOf(name) === file),
            schemas,
          ),
        ],
      ]),
    ),
    'requests.ts': [OPEN, ...declare(bodies, schemas, true)],
    'queries.ts': [OPEN, ...operations.flatMap(queryOf)],
    'events.ts': eventsOf(events),
    'hosts.ts': hostsOf(api, operations),
  };
  const { printWidth, singleQuote } = JSON.parse(readFileSync(folder('../../../.oxfmtrc.json'), 'utf8'));
  const written = Object.entries(files).map(async ([name, parts]) => {
    const text = [`// Written by scripts/generate-types.mjs out of spec/.\n`, ...parts].join('\n');
    const { code, errors } = await format(name, text, { printWidth, singleQuote });
    if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
    return [name, code];
  });
  return Object.fromEntries(await Promise.all(written));
}

/** The operations, each with its `route`. */
const operationsOf = ({ paths }) =>
  Object.entries(paths)
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => ({ ...operation, route: `${verb.toUpperCase()} ${path}` })),
    )
    .filter(({ tags }) => !tags.some((tag) => foreignTags.includes(tag)));

const successOf = (responses) => Object.entries(responses).filter(([status]) => status < '300');

const namesOf = (part) => [
  ...new Set([...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)),
];

/** The names and all schemas that they refer to, in the order of the document. */
function closure(names, schemas) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    namesOf(schemas[name]).forEach(visit);
  };
  names.forEach(visit);
  return Object.keys(schemas).filter((name) => found.has(name));
}

const isList = (schema) => schema.properties?.object?.const === 'list';

const OPEN = `import type { OpenEnum } from '../types/open.js';\n`;

/** The file of a response type: the first one whose pattern it matches. */
const answerFiles = {
  money: /^(Transaction|PayIn|PayOut|RailPayment|QuotePreview|ExecutableQuote|Pool)/,
  capabilities: /^(Asset|Country|Currency|Flow|Limit|Network|PaymentMethod|Ttl)$/,
  resources: /./,
};
const fileOf = (name) => Object.keys(answerFiles).find((file) => answerFiles[file].test(name));

const declare = (names, schemas, isSent = false) =>
  names.map((name) => {
    const schema = schemas[name];
    const type = typeOf(schema, isSent);
    return schema.type === 'object' && schema.properties
      ? `${comment(schema)}export interface ${name} ${type}\n`
      : `${comment(schema)}export type ${name} = ${type};\n`;
  });

/** `isVariant`: one of several objects that are distinguished by `type`, which must therefore be closed. */
function typeOf(schema, isSent, isVariant = false) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return `OpenEnum<${schema.enum.map(literal).join(' | ')}>`;
  const several = schema.anyOf ?? schema.oneOf;
  if (several) {
    const isTagged = several.filter(({ type }) => type === 'object').length > 1;
    return several.map((one) => typeOf(one, isSent, isTagged)).join(' | ');
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, isSent)).join(' | ');
  switch (schema.type) {
    case 'object':
      return schema.properties ? members(schema, isSent, isVariant) : 'Readonly<Record<string, unknown>>';
    case 'array':
      return `readonly (${typeOf(schema.items, isSent)})[]`;
    case 'integer':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`No type is known for ${JSON.stringify(schema)}.`);
  }
}

const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

/** Request bodies are closed, unless the document allows additional members. */
function members({ properties, required = [], additionalProperties }, isSent, isVariant) {
  const lines = Object.entries(properties).map(([name, property]) => {
    // An enum with a single value so far.
    const isOpen = name === 'type' && property.const !== undefined && !isVariant;
    const schema = isOpen ? { enum: [property.const] } : property;
    const optional = !required.includes(name);
    const isTime = isSent && name.startsWith('created_');
    const type = `${typeOf(schema, isSent)}${isTime ? ' | Date' : ''}${optional ? ' | undefined' : ''}`;
    return `${comment(schema)}readonly ${name}${optional ? '?' : ''}: ${type};`;
  });
  const more = isSent && additionalProperties ? ['readonly [more: string]: unknown;'] : [];
  return `{\n${[...lines, ...more].join('\n')}\n}`;
}

function comment(schema) {
  const note = schema.description ?? schema.anyOf?.find(({ description }) => description)?.description;
  return note === undefined ? '' : `/** ${note} */\n`;
}

/** The query of an operation that has one; all parameters are optional. */
function queryOf({ operationId, route, parameters }) {
  const asked = parameters.filter((parameter) => parameter.in === 'query');
  if (asked.length === 0) return [];
  const name = `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
  const properties = Object.fromEntries(asked.map((parameter) => [parameter.name, parameter.schema]));
  const description = `The query of \`${route}\`; all members are optional.`;
  return [`${comment({ description })}export interface ${name} ${members({ properties }, true)}\n`];
}

function eventsOf(events) {
  const imports = Object.keys(answerFiles).flatMap((file) => {
    const names = namesOf(events).filter((name) => fileOf(name) === file);
    return names.length === 0 ? [] : [`import type { ${names.join(', ')} } from './${file}.js';`];
  });
  return [
    ...imports,
    `\n/** The \`data\` of each type of event. */\nexport interface EventData {`,
    ...Object.entries(events).map(([type, { when, data }]) => `/** ${when} */\nreadonly '${type}': ${typeOf(data)};`),
    '}\n',
  ];
}

function hostsOf({ servers }, operations) {
  const pools = operations.find(({ tags }) => tags.includes('pools')).servers[0];
  const [live, test] = ['live mode', 'test mode'].map((mode) =>
    servers.find(({ description }) => description === mode),
  );
  const hosts = { live: live.url, test: test.url, pools: pools.url };
  return [
    '/** The hosts of the service. A deployment replaces them in `spec/openapi.json`, or sets `baseUrl`. */',
    `export const HOSTS = ${JSON.stringify(hosts)} as const;\n`,
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await generatedTypes();
  for (const [name, text] of Object.entries(files)) writeFileSync(folder(`../src/generated/${name}`), text);
}
