import { err, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { JsonText } from '../domain/json/json-text.js';
import { readJson } from '../domain/json/read-json.js';
import type { Scope } from '../domain/mode.js';
import { queryRefusal } from '../http/pipeline/query-refusal.js';
import { fieldRefusal } from '../http/pipeline/read-body.js';
import type { JsonBody } from '../http/schema/body.js';
import type { QueryType } from '../http/schema/query.js';
import type { GateRefusal } from './resources.js';

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
    return err({ code: 'validation_failed', message: 'The body contains text or nesting that cannot be stored.' });
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

/** Text we rendered ourselves, as the shape it was rendered from. */
export function parsed<Shape>(text: JsonText<Shape>): Shape {
  return JSON.parse(text) as Shape;
}
