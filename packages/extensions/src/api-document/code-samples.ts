import { ALL_HOSTS, type AnyEndpoint } from '@gateramp/core/extension';
import type { JsonSchema } from './json-schemas.js';

/** The SDK method of each operation, by its Node name. Operations of browsers and providers have none. */
const METHODS: Readonly<Record<string, string>> = {
  createSession: 'gateSessions.create',
  listSessions: 'gateSessions.list',
  retrieveSession: 'gateSessions.retrieve',
  cancelSession: 'gateSessions.cancel',
  listTimeline: 'gateSessions.timeline',
  listTransactions: 'transactions.list',
  retrieveTransaction: 'transactions.retrieve',
  previewQuotes: 'quotes.preview',
  createQuote: 'quotes.create',
  retrieveQuote: 'quotes.retrieve',
  listCountries: 'capabilities.countries',
  listCurrencies: 'capabilities.currencies',
  listAssets: 'capabilities.assets',
  listNetworks: 'capabilities.networks',
  listPaymentMethods: 'capabilities.paymentMethods',
  listFlows: 'capabilities.flows',
  listLimits: 'capabilities.limits',
  listTtls: 'capabilities.ttls',
  listEvents: 'events.list',
  retrieveEvent: 'events.retrieve',
  retrieveBranding: 'branding.retrieve',
  updateBranding: 'branding.update',
  testWebhook: 'webhooks.test',
  listDeliveries: 'webhooks.deliveries.list',
  retrieveDelivery: 'webhooks.deliveries.retrieve',
  replayDeliveries: 'webhooks.deliveries.replayAll',
  replayDelivery: 'webhooks.deliveries.replay',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  retrieveWebhookEndpoint: 'webhooks.endpoint',
  createPayIn: 'rails.payIns.create',
  listPayIns: 'rails.payIns.list',
  retrievePayIn: 'rails.payIns.retrieve',
  cancelPayIn: 'rails.payIns.cancel',
  createPayOut: 'rails.payOuts.create',
  listPayOuts: 'rails.payOuts.list',
  retrievePayOut: 'rails.payOuts.retrieve',
  cancelPayOut: 'rails.payOuts.cancel',
  listPools: 'pools.list',
  quotePool: 'pools.quote',
  transactPool: 'pools.transact',
  retrievePoolBalance: 'pools.balance',
  listPoolTrades: 'pools.trades',
  retrieveClock: 'testHelpers.clock',
  advanceClock: 'testHelpers.advanceClock',
  simulate: 'testHelpers.simulate',
  simulateRails: 'testHelpers.simulateRails',
};

/** Operations whose body has one member, which both SDKs take as a positional argument. */
const POSITIONAL: ReadonlySet<string> = new Set(['advanceClock', 'simulate', 'simulateRails']);

const CREDENTIALS: Readonly<Record<AnyEndpoint['auth'], string | null>> = {
  secret: 'Authorization: Bearer $GATE_SECRET_KEY',
  any_key: 'Authorization: Bearer $GATE_SECRET_KEY',
  publishable: 'Authorization: Bearer $GATE_PUBLISHABLE_KEY',
  embed: 'X-Embed-Token: $GATE_EMBED_TOKEN',
  none: null,
};

/** Samples of a request in curl and, for server operations, both SDKs. `body` is the example of its schema. */
export function codeSamples(endpoint: AnyEndpoint, body: JsonSchema | null): readonly JsonSchema[] {
  const method = METHODS[endpoint.name];
  const curl = { lang: 'Shell', label: 'curl', source: curlSample(endpoint, body) };
  if (method === undefined) return [curl];
  const ids = [...endpoint.path.matchAll(/\{\w+\}/g)].map(() => EXAMPLE_ID);
  const call: SampleCall = { method, ids, body, isPositional: POSITIONAL.has(endpoint.name), isPool: isPool(endpoint) };
  return [
    curl,
    { lang: 'JavaScript', label: 'Node', source: nodeSample(call) },
    { lang: 'Python', label: 'Python', source: pythonSample(call) },
  ];
}

const EXAMPLE_ID = '68a1f0c2b7e94d1f3a5c7e90';
const EXAMPLE_KEY = '0f8fad5b-d9cb-469f-a165-70867728950e';

const isPool = ({ hosts }: AnyEndpoint): boolean => hosts !== ALL_HOSTS && hosts.every(({ name }) => name === 'pools');

function curlSample(endpoint: AnyEndpoint, body: JsonSchema | null): string {
  const path = endpoint.path.replace('{side}', 'front').replaceAll(/\{\w+\}/g, EXAMPLE_ID);
  const url = `${isPool(endpoint) ? '$GATE_POOLS_URL' : '$GATE_URL'}${path}`;
  const credential = CREDENTIALS[endpoint.auth];
  const lines = [
    `curl ${endpoint.method === 'POST' ? '-X POST ' : ''}"${url}"`,
    ...(credential === null ? [] : [`-H "${credential}"`]),
    ...(endpoint.idempotency === 'ignored' ? [] : [`-H "Idempotency-Key: ${EXAMPLE_KEY}"`]),
    ...(body === null ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`]),
    ...(endpoint.body.kind === 'file' ? ['-H "Content-Type: image/jpeg"', '--data-binary @front.jpg'] : []),
  ];
  return lines.join(' \\\n  ');
}

interface SampleCall {
  readonly method: string;
  readonly ids: readonly string[];
  readonly body: JsonSchema | null;
  readonly isPositional: boolean;
  readonly isPool: boolean;
}

function nodeSample({ method, ids, body, isPositional, isPool }: SampleCall): string {
  const given = body === null ? [] : isPositional ? Object.values(body).map((value) => node(value)) : [node(body)];
  const address = isPool ? 'poolsBaseUrl: process.env.GATE_POOLS_URL' : 'baseUrl: process.env.GATE_URL';
  return `import { Gate } from '@gateramp/sdk-node';

const gate = new Gate(process.env.GATE_SECRET_KEY, { ${address} });

const result = await gate.${method}(${[...ids.map((id) => node(id)), ...given].join(', ')});
console.log(result);`;
}

function pythonSample({ method, ids, body, isPositional, isPool }: SampleCall): string {
  const members = Object.entries(body ?? {});
  const given = members.map(([name, value]) => (isPositional ? python(value) : `${snake(name)}=${python(value)}`));
  const all = [...ids.map((id) => python(id)), ...given];
  const list = all.length < 3 ? `(${all.join(', ')})` : lines('(', all, ')', '', '    ');
  const address = isPool ? 'pools_base_url=os.environ["GATE_POOLS_URL"]' : 'base_url=os.environ["GATE_URL"]';
  return `import os
from gateramp import Gate

gate = Gate(os.environ["GATE_SECRET_KEY"], ${address})

result = gate.${snake(method)}${list}
print(result)`;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function node(value: unknown, indent = ''): string {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`;
  if (Array.isArray(value)) return `[${value.map((one) => node(one, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${node(member, `${indent}  `)}`);
  return members.length < 3 ? `{ ${members.join(', ')} }` : lines('{', members, '}', indent);
}

function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${python(member)}`)
    .join(', ')}}`;
}

function lines(open: string, items: readonly string[], close: string, indent: string, step = '  '): string {
  return [open, ...items.map((item) => `${indent}${step}${item},`), `${indent}${close}`].join('\n');
}
