import { err, ok, type Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { identifyUse, type Idempotent } from '../application/idempotency/idempotent.js';
import type { Answered } from '../application/idempotency/one-per-key.js';
import { readIdempotencyKey } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json.js';
import type { Scope } from '../domain/mode.js';
import type { JsonBody } from '../http/schema/request.js';
import { isRecord, shapeOf, throwIfAny } from './checks/gate-fault.js';
import { parsed, readGiven } from './assemble.js';
import type { GateRefusal } from './resources.js';

/** Options of a call in process that changes something. */
export interface KeyedCall {
  /** A repeat with the same key gives the same answer. */
  readonly idempotencyKey?: string;
}

/** Options of a call in process that moves money by itself: a repeat without a key would move it again. */
export interface MoneyCall extends KeyedCall {
  readonly idempotencyKey: string;
}

interface CallInProcess<Value, Shape> {
  readonly caller: Scope;
  readonly options: KeyedCall | undefined;
  /** Refused without a key; false by default. */
  readonly needsKey?: boolean;
  /** What is called and on what, as a path would say it. */
  readonly path: string;
  readonly render: (value: Value) => JsonText<Shape>;
}

interface BodyInProcess<Body> {
  readonly schema: JsonBody<Body>;
  readonly given: unknown;
}

type CallOutcome<Value> = Promise<Result<Answered<Value>, GateRefusal>>;

/**
 * A call that takes a body: `work` gets that as its schema reads it, and what it answers, or once did, is given in the
 * shape of the wire.
 */
export async function callWithBody<Body, Value, Shape>(
  engine: Engine,
  call: CallInProcess<Value, Shape> & { readonly body: BodyInProcess<Body> },
  work: (body: Body, use: Idempotent<Value> | null) => CallOutcome<Value>,
): Promise<Result<Shape, GateRefusal>> {
  const { caller, body } = call;
  const read = readGiven(engine, caller, body.schema, body.given);
  if (read.isErr()) return err(read.error);
  const { value, canonical } = read.value;
  return keyed(engine, { ...call, canonical }, (use) => work(value, use));
}

/** As `callWithBody`, of a call that takes none. */
export function callWithoutBody<Value, Shape>(
  engine: Engine,
  call: CallInProcess<Value, Shape>,
  work: (use: Idempotent<Value> | null) => CallOutcome<Value>,
): Promise<Result<Shape, GateRefusal>> {
  return keyed(engine, { ...call, canonical: '{}' }, work);
}

interface Keyed<Value, Shape> extends CallInProcess<Value, Shape> {
  readonly canonical: string;
}

async function keyed<Value, Shape>(
  engine: Engine,
  call: Keyed<Value, Shape>,
  work: (use: Idempotent<Value> | null) => CallOutcome<Value>,
): Promise<Result<Shape, GateRefusal>> {
  const use = keyUse(engine, call);
  if (use.isErr()) return err(use.error);
  const done = await work(use.value);
  return done.map((answered) => answerOf(answered, call.render));
}

/** A key as HTTP takes them. One used in process and over HTTP is a mismatch: the two replies are not the same bytes. */
function keyUse<Value, Shape>(
  engine: Engine,
  { caller, options, needsKey = false, path, canonical, render }: Keyed<Value, Shape>,
): Result<Idempotent<Value> | null, GateRefusal> {
  throwIfAny(`${path} received invalid options`, optionProblems(options));
  const key = readIdempotencyKey(options?.idempotencyKey ?? null, needsKey);
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

/** Types do not reach hosts in JavaScript, and a key that is passed over does a repeat twice. */
function optionProblems(options: unknown): readonly string[] {
  if (options === undefined || options === null) return [];
  if (!isRecord(options)) return [`The options must be { idempotencyKey }, not ${shapeOf(options)}.`];
  const { idempotencyKey: key, ...others } = options;
  return [
    ...Object.keys(others).map((name) => `${name} is not an option; the only option is idempotencyKey.`),
    ...(key === undefined || key === null || typeof key === 'string'
      ? []
      : [`idempotencyKey must be a string of 1 to 255 visible ASCII characters; it is ${shapeOf(key)}.`]),
  ];
}

/** What was answered, or is: the text it was rendered to, as the shape it was rendered from. */
function answerOf<Value, Shape>(answered: Answered<Value>, render: (value: Value) => JsonText<Shape>): Shape {
  return parsed(answered.kind === 'replayed' ? (answered.reply.body as JsonText<Shape>) : render(answered.value));
}
