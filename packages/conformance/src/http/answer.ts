import assert from 'node:assert/strict';
import { isRecord } from '@gateramp/core/domain';
import type { WireResponse } from './subject.js';

export type Members = Readonly<Record<string, unknown>>;

/** A parsed response. `json` is empty for an empty body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Members;
}

/**
 * Parses a response and checks everything that the contract guarantees for every response. `errorPage` is what `doc_url` leads to; null if
 * the gate has no such page.
 */
export function readAnswer(response: WireResponse, errorPage: string | null = '/docs'): Answer {
  const { status, headers, body } = response;
  const json = body === '' ? {} : (JSON.parse(body) as unknown);
  assert.ok(isRecord(json), `An answer is a JSON object: ${body}`);
  const answer = { status, headers, text: body, json };
  checkHeaders(answer);
  if (status >= 400) checkEnvelope(answer, errorPage);
  return answer;
}

function checkHeaders({ status, headers, text }: Answer): void {
  assert.match(headers['x-request-id'] ?? '', /^req_[0-9A-Za-z]{24}$/);
  for (const name of ['limit', 'remaining', 'reset']) {
    assert.match(headers[`x-ratelimit-${name}-short`] ?? '', /^\d+$/, `X-RateLimit-${name}-short is on every answer`);
  }
  assert.equal(headers['retry-after'], undefined, 'the bare Retry-After is never set');
  assert.equal('retry-after-short' in headers, status === 429 || status === 503);
  assert.equal(headers['access-control-allow-credentials'], undefined);
  if (text === '') return;
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.ok(headers['cache-control'] !== undefined, 'every answer says who may keep it');
}

const ENVELOPE = ['type', 'code', 'message', 'request_id', 'doc_url', 'statusCode'];

const refused = new Set<string>();

/** All error codes that laws have received in this process. */
export function codesAnswered(): ReadonlySet<string> {
  return refused;
}

/** Checks the members of the error envelope (spec: Errors). */
function checkEnvelope({ status, headers, json }: Answer, errorPage: string | null): void {
  const { errors, ...envelope } = json;
  assert.deepEqual(Object.keys(envelope), ENVELOPE);
  assert.equal(json['statusCode'], status);
  assert.equal(json['type'], typeOf(status));
  assert.match(String(json['code']), /^[a-z_]+$/);
  refused.add(String(json['code']));
  assert.equal(json['request_id'], headers['x-request-id']);
  assert.equal(json['doc_url'], errorPage === null ? null : `${errorPage}#${String(json['code'])}`);
  if (errors === undefined) {
    assert.equal(typeof json['message'], 'string');
    return;
  }
  checkFields(errors, json['message']);
}

function checkFields(errors: unknown, message: unknown): void {
  assert.ok(Array.isArray(errors) && errors.length > 0);
  assert.ok(errors.length <= 20, 'errors has its limit');
  const fields = errors.map((field: unknown) => textOf(membersOf(field), 'field'));
  assert.deepEqual([...new Set(fields)], fields, 'each failed field has one entry');
  const messages = errors.map((field: unknown) => {
    assert.ok(isRecord(field));
    assert.deepEqual(Object.keys(field), ['field', 'code', 'message']);
    return field['message'];
  });
  assert.deepEqual(message, messages.length === 1 ? messages[0] : messages);
}

function typeOf(status: number): string {
  const types: Readonly<Record<number, string>> = {
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    409: 'conflict',
    429: 'rate_limited',
  };
  return types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request');
}

export function expectRefusal(answer: Answer, status: number, code: string): void {
  assert.deepEqual({ status: answer.status, code: answer.json['code'] }, { status, code }, answer.text);
}

export function expectStatus(answer: Answer, status: number): Answer {
  assert.equal(answer.status, status, answer.text);
  return answer;
}

/** The fields named by a validation error, each once, in alphabetical order. */
export function failedFields(answer: Answer): readonly string[] {
  const errors = answer.json['errors'];
  assert.ok(Array.isArray(errors), answer.text);
  const fields = errors.map((field: unknown) => textOf(membersOf(field), 'field')).sort();
  assert.equal(new Set(fields).size, fields.length, `A field has one entry: ${answer.text}`);
  return fields;
}

export function membersOf(value: unknown): Members {
  assert.ok(isRecord(value), `Expected an object, got ${JSON.stringify(value)}`);
  return value;
}

export function textOf(members: Members, name: string): string {
  const value = members[name];
  assert.ok(typeof value === 'string', `Expected ${name} to be text, got ${JSON.stringify(value)}`);
  return value;
}

/** The items of a list. */
export function itemsOf(answer: Answer): readonly Members[] {
  const { data } = answer.json;
  assert.ok(Array.isArray(data), answer.text);
  return data.map(membersOf);
}
