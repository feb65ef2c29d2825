import { err, ok, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { identifyUse, type Idempotent } from '../application/idempotency/idempotent.js';
import type { Answered } from '../application/idempotency/one-per-key.js';
import { readIdempotencyKey } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json/json-text.js';
import { readJson } from '../domain/json/read-json.js';
import type { Scope } from '../domain/mode.js';
import { queryRefusal } from '../http/pipeline/query-refusal.js';
import { fieldRefusal } from '../http/pipeline/read-body.js';
import type { JsonBody } from '../http/schema/body.js';
import type { QueryType } from '../http/schema/query.js';
import type { GateRefusal } from './resources.js';

/** Options of a call in process that changes something. */
export interface KeyedCall {
  /** A repeat with the same key gives the same answer. */
  readonly idempotencyKey?: string;
}

/** What a host has handed over, held to the schema that the wire holds it to. */
export interface Given<Body> {
  readonly value: Body;
  readonly canonical: string;
}

export function readGiven<Body>(
  { policy }: Engine,
  scope: Scope,
  body: JsonBody<Body>,
  given: unknown,
): Result<Given<Body>, GateRefusal> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return err({ code: 'validation_failed', message: 'The body must be an object.' });
  const document = readJson(JSON.stringify(given), policy.bodyDepthMax);
  if (document.isErr())
    return err({ code: 'validation_failed', message: 'The body holds text or nesting that no store accepts.' });
  const { canonical } = document.value;
  return body
    .read({ document: document.value, mode: scope.mode, policy })
    .map((value) => ({ value, canonical }))
    .mapErr((faults) => fieldRefusal(faults, policy.fieldErrorsMax));
}

/** What a host asks for by the names of a query, held to the rules of that query. */
export function readGivenQuery<Query>(
  { policy }: Engine,
  query: QueryType<Query>,
  given: Readonly<Record<string, string | number | undefined>>,
): Result<Query, GateRefusal> {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) named.set(name, String(value));
  return query.read(named).mapErr((faults) => queryRefusal(faults, policy.fieldErrorsMax));
}

interface CallInProcess<Value> {
  readonly caller: Scope;
  readonly key: string | undefined;
  /** What is called and on what, as a path would say it. */
  readonly path: string;
  readonly canonical: string;
  readonly render: (value: Value) => JsonText;
}

/** A key as HTTP takes them. One used in process and over HTTP is a mismatch: the two replies are not the same bytes. */
export function keyUse<Value>(
  engine: Engine,
  call: CallInProcess<Value>,
): Result<Idempotent<Value> | null, GateRefusal> {
  const { caller, path, canonical, render } = call;
  const key = readIdempotencyKey(call.key ?? null, false);
  if (key.isErr()) return err(key.error);
  if (key.value === null) return ok(null);
  const use = { key: key.value, scope: caller, browser: null, method: 'CALL', path, canonicalBody: canonical };
  return ok({
    ...identifyUse(engine, use),
    mode: caller.mode,
    write: 'claim',
    render: (value) => ({ status: 201, headers: {}, body: render(value) }),
  });
}

/** What was answered, or is: the text it was rendered to, as the shape it was rendered from. */
export function answerOf<Value, Shape>(answered: Answered<Value>, render: (value: Value) => JsonText<Shape>): Shape {
  return parsed(answered.kind === 'replayed' ? (answered.reply.body as JsonText<Shape>) : render(answered.value));
}

/** Text we rendered ourselves, as the shape it was rendered from. */
export function parsed<Shape>(text: JsonText<Shape>): Shape {
  return JSON.parse(text) as Shape;
}
