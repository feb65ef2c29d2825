import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { EmbedToken } from '../application/embed/embed-token.js';
import type { Idempotent } from '../application/idempotency/idempotent.js';
import type { KeyedResult } from '../application/idempotency/keyed.js';
import type { Worker } from '../application/work/worker.js';
import type { ErrorCode } from '../domain/error-code.js';
import type { WireReply } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json.js';
import type { KeyScope } from '../domain/keys/api-key.js';
import type { RateRule } from '../domain/limits/rate-window.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Entitlement, Partner } from '../domain/partner/partner.js';
import type { Refusal } from '../domain/refusal.js';
import type { AdjustableClock } from '../ports/edge.js';
import type { Host } from './hosts.js';
import type { Timing } from './pipeline/admission.js';
import type { BodyType, QueryType } from './schema/request.js';
import type { WireType } from './schema/members.js';

/** What a handler serves from: the engine, and what only the assembled gate knows. */
export interface HttpHost {
  readonly engine: Engine;
  readonly worker: Worker;
  /** The keyring is open. */
  readonly ready: () => Promise<void>;
  /** The origin of the hosted checkout page of each mode; null where there is none. */
  readonly widgetOrigins: Readonly<Record<Mode, string | null>>;
  /** Where clients reach the API, mount prefix included; null if not configured. */
  readonly publicUrl: string | null;
  /** The timers and the monotonic clock of this process. */
  readonly timing: Timing;
  /** The test clock, where this process has one. */
  readonly testClock: AdjustableClock | null;
}

/** Who calls, by the endpoint's kind of credential. */
export interface Callers {
  readonly secret: { readonly partner: Partner; readonly scope: Scope };
  readonly publishable: { readonly partner: Partner; readonly scope: Scope; readonly keyHash: string };
  /** Discovery: a page may show what its server could do. */
  readonly any_key: { readonly partner: Partner; readonly scope: Scope };
  readonly embed: { readonly partner: Partner; readonly scope: Scope; readonly token: EmbedToken };
  readonly none: null;
}

/** A kind of credential; `none` is for public endpoints. */
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
  /** Of this request's answer. */
  readonly requestId: string;
  /** The path as sent. */
  readonly path: string;
  readonly origin: string | null;
  /** Every header as one string each, names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The key's use if the request carries one that is honoured here, rendering with `render`. */
  readonly keyed: <Value>(render: (value: Value) => JsonText) => Idempotent<Value> | null;
  /** The answer of a keyed use case: the sealed bytes, or a fresh rendering. */
  readonly answer: <Value, Shape>(
    answered: KeyedResult<Value>,
    render: (value: Value) => JsonText<Shape>,
  ) => Reply<Shape>;
}

/** The resource as text, or the bytes that this endpoint sealed of it under the same key. */
export type Reply<Shape> = JsonText<Shape> | (WireReply & { readonly __shape?: Shape });

/** An entitlement that every call of an endpoint needs, and what is said to a partner without it. */
export interface Requirement {
  readonly entitlement: Entitlement;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Caching {
  readonly maxAgeSeconds: number;
}

export interface Endpoint<Kind extends Auth, Query, Body, Shape, Code extends ErrorCode> {
  /** What generated clients call it (`operationId` of the OpenAPI document). */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Template with `{name}` for parameters; rate limits count per template. */
  readonly path: string;
  readonly summary: string;
  /** Where the route exists; 404 elsewhere. */
  readonly hosts: readonly Host[];
  readonly auth: Kind;
  /** What a restricted secret key needs to call it; null: every key may. */
  readonly scope: KeyScope | null;
  /** Checked once the caller is known, before its idempotency key; null where every partner may call. */
  readonly requires: Requirement | null;
  /** Null: never throttled. */
  readonly limits: readonly RateRule[] | null;
  readonly idempotency: 'required' | 'honoured' | 'ignored';
  readonly cors: 'partner' | 'widget' | null;
  /** With a lifetime, the answer has an `ETag` and may be kept that long by the caller; null: no cache may keep it. */
  readonly caching: Caching | null;
  readonly query: QueryType<Query>;
  readonly body: BodyType<Body>;
  /** What a success answers. Held to in the laws, not on the way out. */
  readonly reply: WireType<Shape>;
  readonly success: 200 | 201 | 202;
  /** How it answers when what it should make was there already; null where a repeat is known by its key alone. */
  readonly known: 200 | null;
  /** Every refusal of the use case; one left out does not compile. Statuses are those of `STATUSES`. */
  readonly refusals: readonly Code[];
  /** Of a file: whether it is asked for, which is looked at before a byte of it is read. */
  readonly awaitsFile?: (
    call: Omit<Call<Callers[Kind], Query, Body>, 'body'>,
  ) => Promise<Result<unknown, Refusal<NoInfer<Code>>>>;
  readonly run: (
    call: Call<Callers[Kind], Query, Body>,
  ) => Promise<Result<Reply<NoInfer<Shape>>, Refusal<NoInfer<Code>>>>;
}

/** An endpoint whose types have been checked and forgotten: what the table holds. */
export type AnyEndpoint = Endpoint<Auth, unknown, unknown, unknown, ErrorCode>;

/** What a call in process needs to know of an endpoint, for the compiler alone: what it takes, and what it answers. */
export interface Signature {
  readonly path: string;
  readonly idempotency: AnyEndpoint['idempotency'];
  /** Null where there is no query, and no body. */
  readonly asked: unknown;
  readonly given: unknown;
  readonly shape: unknown;
}

/** An endpoint that also remembers its signature. */
export type SignedEndpoint<Signed extends Signature> = AnyEndpoint & { readonly __signature?: Signed };

/** Checks an endpoint against its own declaration. */
export function endpoint<
  Kind extends Auth,
  Query,
  Asked,
  Body,
  Given = null,
  Shape = unknown,
  const Code extends ErrorCode = ErrorCode,
  const Path extends string = string,
  const Idempotency extends AnyEndpoint['idempotency'] = AnyEndpoint['idempotency'],
>(
  declared: Endpoint<Kind, Query, Body, Shape, Code> & {
    readonly path: Path;
    readonly idempotency: Idempotency;
    readonly query: QueryType<Query, Asked>;
    readonly body: BodyType<Body, Given>;
  },
): SignedEndpoint<{ path: Path; idempotency: Idempotency; asked: Asked; given: Given; shape: Shape }> {
  // The pipeline gives `run` exactly what this endpoint's own auth and readers produced.
  return declared as unknown as AnyEndpoint;
}
