import { isRecord } from '@gateramp/core/domain';
import assert from 'node:assert/strict';
import type { HostName } from './operations.js';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer, Members } from './answer.js';
import { DOCUMENT, operationOf, type Operation } from './operations.js';

export interface DescribedRequest {
  readonly method: string;
  readonly path: string;
  readonly host: HostName;
}

/**
 * Checks a response against the OpenAPI document: its status is listed for the operation, its body matches the schema, and a refusal has
 * one of the listed codes. Paths outside the document must be answered 404, or refused before routing.
 */
export function expectDescribed(request: DescribedRequest, answer: Answer): void {
  const { method, path, host } = request;
  if (method === 'OPTIONS' && answer.status === 204) return;
  const operation = operationOf(method, path, host);
  const where = `${method} ${path} on the ${host} host answered ${answer.status} ${answer.text}`;
  if (operation === null) {
    assert.ok(isUnrouted(answer), `${where}, and the document has no such operation.`);
    return;
  }
  const described = describedAs(operation, answer.status);
  assert.ok(described !== null, `${where}, and ${operation.name} lists no such status.`);
  if (answer.text === '') {
    assert.ok(method === 'HEAD' || !hasContent(operation, described), `${where}, without the body it should have.`);
    return;
  }
  const fits = validatorOf(operation, described);
  assert.ok(fits(answer.json), `${where}, which is not what ${operation.name} promises: ${faultsOf(fits)}`);
}

/** `default` covers refusals of any request; it applies to statuses that the operation does not list. */
function describedAs({ responses }: Operation, status: number): string | null {
  if (responses[status] !== undefined) return String(status);
  return status >= 400 && responses['default'] !== undefined ? 'default' : null;
}

function hasContent({ responses }: Operation, status: string): boolean {
  const response = responses[status];
  return isRecord(response) && response['content'] !== undefined;
}

const UNROUTED = new Set(['route_not_found', 'rate_limit_exceeded', ...codesOfEvery()]);

function isUnrouted({ status, text, json }: Answer): boolean {
  return status >= 400 && (text === '' || UNROUTED.has(String(json['code'])));
}

/** The codes with which any request can be refused: those of `default`, the same for all operations. */
function codesOfEvery(): readonly string[] {
  const health = operationOf('GET', '/health', 'test')?.responses['default'];
  const schema = at(health, 'content', 'application/json', 'schema', 'properties', 'code', 'enum');
  if (!Array.isArray(schema)) throw new Error('The document has no codes for the default response.');
  return schema.map(String);
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
}

/** Checks the body of a webhook against the schema of its event type. */
export function expectDescribedEvent(body: string): void {
  const event: unknown = JSON.parse(body);
  const type = isRecord(event) ? String(event['type']) : '';
  const place = `/webhooks/${type}`;
  assert.ok(at(DOCUMENT, 'webhooks', type) !== undefined, `The document has no event ${type}: ${body}`);
  const fits = validatorAt(`${place}/post/requestBody/content/application~1json/schema`);
  assert.ok(fits(event), `${body} does not match the schema of its event: ${faultsOf(fits)}`);
}

const BASE = 'gateramp:openapi';
const compiler = compilerOf(DOCUMENT);
const compiled = new Map<string, ValidateFunction>();

function compilerOf(document: Members) {
  // Not strict: OpenAPI documents have keywords that JSON Schema lacks. Every format also has a stricter pattern.
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true, uuid: true } });
  return ajv.addSchema({ ...document, $id: BASE });
}

function validatorOf(operation: Operation, status: string): ValidateFunction {
  return validatorAt(`${operation.pointer}/responses/${status}/content/application~1json/schema`);
}

/** Compiled on first use: there are hundreds, and most laws need few. */
function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer) ?? compiler.compile({ $ref: `${BASE}#${pointer}` });
  compiled.set(pointer, known);
  return known;
}

function faultsOf({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}
