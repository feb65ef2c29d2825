import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import type { EmbedToken } from '../application/embed/embed-token.js';
import type { Idempotent } from '../application/idempotency/idempotent.js';
import type { KeyedResult } from '../application/idempotency/keyed.js';
import type { SteppedWork } from '../application/work/worker.js';
import type { Actor, AuditContext } from '../domain/audit.js';
import type { ErrorCode } from '../domain/error-code.js';
import type { WireReply } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json.js';
import type { KeyScope } from '../domain/keys/api-key.js';
import type { RateRule } from '../domain/limits/rate-window.js';
import type { Mode, Scope } from '../domain/mode.js';
import type { Entitlement, Partner } from '../domain/partner/partner.js';
import type { Refusal } from '../domain/refusal.js';
import type { AdjustableClock } from '../ports/edge.js';
import type { Hosts } from './hosts.js';
import type { Timing } from './pipeline/admission.js';
import type { BodyType, QueryType } from './schema/request.js';
import type { WireType } from './schema/members.js';

/** The dependencies of a handler: the engine, and parts that only the assembled gate has. */
export interface HttpHost {
  readonly engine: Engine;
  readonly worker: SteppedWork;
  /** Resolves once the keyring is open. */
  readonly ready: () => Promise<void>;
  /** The origin of each mode's hosted checkout page; null if there is none. */
  readonly widgetOrigins: Readonly<Record<Mode, string | null>>;
  /** The API's base URL for clients, including the mount prefix; null if not configured. */
  readonly publicUrl: string | null;
  /** The timers and the monotonic clock of this process. */
  readonly timing: Timing;
  /** The test clock, if this process has one. */
  readonly testClock: AdjustableClock | null;
}

/** The authenticated caller, by kind of credential. */
export interface Callers {
  /** `actor` is the key, for the audit trail. Only calls in process have a reason. */
  readonly secret: {
    readonly partner: Partner;
    readonly scope: Scope;
    readonly actor: Actor;
    readonly reason?: string | null;
  };
  readonly publishable: { readonly partner: Partner; readonly scope: Scope; readonly keyHash: string };
  /** For discovery: a page may show the same data as its server. */
  readonly any_key: { readonly partner: Partner; readonly scope: Scope };
  readonly embed: { readonly partner: Partner; readonly scope: Scope; readonly token: EmbedToken };
  readonly none: null;
}

/** A kind of credential; `none` is for public endpoints. */
export type Auth = keyof Callers;

/** The validated and parsed input of an endpoint. */
export interface Call<Caller, Query, Body> {
  readonly host: HttpHost;
  readonly engine: Engine;
  readonly mode: Mode;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The id in this request's response. */
  readonly requestId: string;
  /** The path as sent. */
  readonly path: string;
  readonly origin: string | null;
  /** All headers as one string each, with lower-case names. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The use of the request's idempotency key, rendered with `render`; null if there is no key or the endpoint ignores it. */
  readonly keyed: <Value>(render: (value: Value) => JsonText) => Idempotent<Value> | null;
  /** The reply of a keyed use case: the sealed bytes, or a fresh rendering. */
  readonly answer: <Value, Shape>(
    answered: KeyedResult<Value>,
    render: (value: Value) => JsonText<Shape>,
  ) => Reply<Shape>;
}

/** The resource as text, or the bytes sealed for it under the same key. */
export type Reply<Shape> = JsonText<Shape> | (WireReply & { readonly __shape?: Shape });

/** An entitlement required by an endpoint, and the refusal for partners without it. */
export interface Requirement {
  readonly entitlement: Entitlement;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface Caching {
  readonly maxAgeSeconds: number;
}

export interface Endpoint<Kind extends Auth, Query, Body, Shape, Code extends ErrorCode> {
  /** Unique. The methods of generated clients are named after it. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** A template with `{name}` for parameters; rate limits count per template. */
  readonly path: string;
  readonly summary: string;
  /** The hosts that have the route; others respond with 404. */
  readonly hosts: Hosts;
  /** On a gate without a test clock the route is an unknown path. */
  readonly needsTestClock?: true;
  readonly auth: Kind;
  /** The scope that a restricted secret key needs; null: no scope is needed. */
  readonly scope: KeyScope | null;
  /** Checked after authentication and before the idempotency key; null if every partner may call. */
  readonly requires: Requirement | null;
  /** Begins a payment or a trade, and is therefore refused for a suspended partner also in process. */
  readonly beginsPayment?: true;
  /** Null: not throttled. */
  readonly limits: readonly RateRule[] | null;
  readonly idempotency: 'required' | 'honoured' | 'ignored';
  readonly cors: 'partner' | 'widget' | null;
  /** If set, responses have an `ETag` and clients may cache them for the lifetime; null: they must not be cached. */
  readonly caching: Caching | null;
  readonly query: QueryType<Query>;
  readonly body: BodyType<Body>;
  /** The type of a successful response. Checked by tests, not at runtime. */
  readonly reply: WireType<Shape>;
  readonly success: 200 | 201 | 202;
  /** The status when the object to create already existed; null if only the idempotency key identifies repeats. */
  readonly known: 200 | null;
  /** All refusals of the use case; a missing one does not compile. Their statuses are in `STATUSES`. */
  readonly refusals: readonly Code[];
  /** For uploads: whether the file is expected, checked before any byte of it is read. */
  readonly awaitsFile?: (
    call: Omit<Call<Callers[Kind], Query, Body>, 'body'>,
  ) => Promise<Result<unknown, Refusal<NoInfer<Code>>>>;
  readonly run: (
    call: Call<Callers[Kind], Query, Body>,
  ) => Promise<Result<Reply<NoInfer<Shape>>, Refusal<NoInfer<Code>>>>;
}

/** An endpoint with its types checked and erased, as stored in the table. */
export type AnyEndpoint = Endpoint<Auth, unknown, unknown, unknown, ErrorCode>;

/** The input and output types of an endpoint, for in-process calls; exists only for the compiler. */
export interface Signature {
  readonly path: string;
  readonly idempotency: AnyEndpoint['idempotency'];
  /** Null if there is no query or body. */
  readonly query: unknown;
  readonly body: unknown;
  readonly shape: unknown;
}

/** An endpoint that keeps its signature. */
export type SignedEndpoint<Signed extends Signature> = AnyEndpoint & { readonly __signature?: Signed };

/** A request in the audit trail. */
export function by({ actor, reason = null }: Callers['secret'], requestId: string): AuditContext {
  return { actor, reason, requestId };
}

/** Checks an endpoint against its own declaration. */
export function endpoint<
  Kind extends Auth,
  Query,
  QueryGiven,
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
    readonly query: QueryType<Query, QueryGiven>;
    readonly body: BodyType<Body, Given>;
  },
): SignedEndpoint<{ path: Path; idempotency: Idempotency; query: QueryGiven; body: Given; shape: Shape }> {
  // The pipeline calls `run` with exactly the values that this endpoint's own authentication and readers produced.
  return declared as unknown as AnyEndpoint;
}
