import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { EmbedToken } from '../application/embed/embed-token.js';
import type { Idempotent } from '../application/idempotency/idempotent.js';
import type { Answered } from '../application/idempotency/one-per-key.js';
import type { Worker } from '../application/work/worker.js';
import type { ErrorCode } from '../domain/error-code.js';
import type { WireReply } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json/json-text.js';
import type { RateRule } from '../domain/limits/rate-window.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { Policy } from '../domain/policy.js';
import type { FieldError, Refusal } from '../domain/refusal.js';
import type { AdjustableClock } from '../ports/edge.js';
import type { JsonDocument } from '../domain/json/read-json.js';
import type { StatusOf } from './errors.js';

/** What a handler serves from: the engine, and what only the assembled gate knows. */
export interface HttpHost {
  readonly engine: Engine;
  readonly worker: Worker;
  /** The keyring is open. */
  readonly ready: () => Promise<void>;
  /** The origin of the hosted checkout page of each mode; null where there is none. */
  readonly widgetOrigins: Readonly<Record<Mode, string | null>>;
  /** The test clock, where this process has one. */
  readonly testClock: AdjustableClock | null;
}

/** Who calls, by the endpoint's kind of credential. */
export interface Callers {
  readonly secret: { readonly partner: Partner; readonly scope: Scope };
  readonly publishable: { readonly partner: Partner; readonly scope: Scope; readonly keyHash: string };
  readonly embed: { readonly partner: Partner; readonly scope: Scope; readonly token: EmbedToken };
  readonly none: null;
}

export type Auth = keyof Callers;

/** Everything an endpoint may look at, checked and parsed. */
export interface Call<Caller, Query, Body> {
  readonly host: HttpHost;
  readonly engine: Engine;
  readonly mode: Mode;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The path as sent. */
  readonly path: string;
  readonly origin: string | null;
  /** Every header as one string each, names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The key's use if the request carries one that is honoured here, rendering with `render`. */
  readonly keyed: <Value>(render: (value: Value) => JsonText) => Idempotent<Value> | null;
  /** The answer of a keyed use case: the sealed bytes, or a fresh rendering. */
  readonly answer: <Value>(answered: Answered<Value>, render: (value: Value) => JsonText) => Reply;
}

export type Reply = JsonText | WireReply;

/** What a reader of a body or query says: the value, or every field that failed. */
export type Read<Value> = Result<Value, readonly FieldError[]>;

export interface BodyInput {
  readonly document: JsonDocument;
  readonly mode: Mode;
  readonly policy: Policy;
}

export type ErrorTable = { readonly [Code in ErrorCode]?: StatusOf<Code> };

export interface Endpoint<Kind extends Auth, Query, Body, Errors extends ErrorTable> {
  readonly method: 'GET' | 'POST';
  /** Template with `{name}` for parameters; rate limits count per template. */
  readonly path: string;
  readonly summary: string;
  readonly auth: Kind;
  /** Null: never throttled. */
  readonly limits: readonly RateRule[] | null;
  readonly idempotency: 'required' | 'honoured' | 'ignored';
  /** Where the route exists; 404 elsewhere. */
  readonly modes: readonly Mode[];
  readonly cors: 'partner' | 'widget' | null;
  readonly query: (query: URLSearchParams) => Read<Query>;
  /** `none` takes an empty body or `{}`; `raw` leaves the bytes to the use case. */
  readonly body: ((input: BodyInput) => Read<Body>) | 'none' | 'raw';
  readonly success: 200 | 201 | 202;
  /** Every refusal of the use case with its status; one left out does not compile. */
  readonly errors: Errors;
  readonly run: (
    call: Call<Callers[Kind], Query, Body>,
  ) => Promise<Result<Reply, Refusal<Extract<keyof Errors, ErrorCode>>>>;
}

/** An endpoint whose types have been checked and forgotten: what the table holds. */
export type AnyEndpoint = Endpoint<Auth, unknown, unknown, ErrorTable>;

/** Checks an endpoint against its own declaration. */
export function endpoint<Kind extends Auth, Query, Body, const Errors extends ErrorTable>(
  declared: Endpoint<Kind, Query, Body, Errors>,
): AnyEndpoint {
  // The pipeline gives `run` exactly what this endpoint's own auth and readers produced.
  return declared as unknown as AnyEndpoint;
}
