import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { identifyUse, type Idempotent } from '../application/idempotency/idempotent.js';
import { entered } from '../application/tracing.js';
import type { AuditContext } from '../domain/audit.js';
import type { ErrorCode } from '../domain/error-code.js';
import { readIdempotencyKey } from '../domain/idempotency/idempotency.js';
import { isRecord, type JsonText, readJson } from '../domain/json.js';
import type { Scope } from '../domain/mode.js';
import { isSuspended, type Partner, PARTNER_SUSPENDED } from '../domain/partner/partner.js';
import { type Refusal, refuse } from '../domain/refusal.js';
import { retrieveBrandingEndpoint, updateBrandingEndpoint } from '../http/branding/endpoints.js';
import { CAPABILITY_ENDPOINTS } from '../http/capabilities/endpoints.js';
import type { AnyEndpoint, Call, Callers, HttpHost, Signature, SignedEndpoint } from '../http/endpoint.js';
import { listEventsEndpoint, retrieveEventEndpoint } from '../http/events/endpoints.js';
import { ALL_HOSTS } from '../http/hosts.js';
import { entitlementRefusal } from '../http/pipeline/authenticate.js';
import { BODY_DEPTH_MAX, fieldRefusal } from '../http/pipeline/read-body.js';
import { queryRefusal } from '../http/pipeline/router.js';
import { createQuoteEndpoint, previewQuotesEndpoint, retrieveQuoteEndpoint } from '../http/quotes/endpoints.js';
import { payInEndpoints, payOutEndpoints } from '../http/rails/endpoints.js';
import { idOf } from '../http/schema/lists.js';
import {
  cancelSessionEndpoint,
  createSessionEndpoint,
  listSessionsEndpoint,
  listTimelineEndpoint,
  retrieveSessionEndpoint,
} from '../http/sessions/endpoints.js';
import {
  retrieveTransactionEndpoint,
  listTransactionsEndpoint,
  refundTransactionCall,
} from '../http/transactions/endpoints.js';
import {
  listDeliveriesEndpoint,
  replayDeliveriesEndpoint,
  replayDeliveryEndpoint,
  retrieveDeliveryEndpoint,
  retrieveWebhookEndpointEndpoint,
  rotateWebhookSecretEndpoint,
  testWebhookEndpoint,
} from '../http/webhooks/endpoints.js';
import { callerProblems } from './checks/check-administration.js';
import { exactly, problemsBy } from './checks/sentences.js';
import { throwIfAny } from './checks/argument-error.js';

/** The wire resources that in-process callers send and receive. */
export type { CreatedGateSession, GateSession } from '../domain/session/session-resource.js';
export type { GateTransaction } from '../domain/transaction/transaction-resource.js';
export type { CreateGateSession } from '../http/sessions/schemas.js';

/** Why an in-process call was refused, with the code and message of the HTTP response. Outages throw instead. */
export type GateRefusal = Refusal<ErrorCode>;

/** The in-process calls, by their names on the gate. */
export const CALLS = {
  sessions: {
    create: createSessionEndpoint,
    retrieve: retrieveSessionEndpoint,
    list: listSessionsEndpoint,
    cancel: cancelSessionEndpoint,
    timeline: listTimelineEndpoint,
  },
  transactions: {
    retrieve: retrieveTransactionEndpoint,
    list: listTransactionsEndpoint,
  },
  quotes: { preview: previewQuotesEndpoint, create: createQuoteEndpoint, retrieve: retrieveQuoteEndpoint },
  rails: { payIns: payInEndpoints, payOuts: payOutEndpoints },
  capabilities: CAPABILITY_ENDPOINTS,
  branding: { retrieve: retrieveBrandingEndpoint, update: updateBrandingEndpoint },
  events: { list: listEventsEndpoint, retrieve: retrieveEventEndpoint },
  webhooks: {
    test: testWebhookEndpoint,
    endpoint: retrieveWebhookEndpointEndpoint,
    rotateSecret: rotateWebhookSecretEndpoint,
    deliveries: {
      list: listDeliveriesEndpoint,
      retrieve: retrieveDeliveryEndpoint,
      replay: replayDeliveryEndpoint,
      replayAll: replayDeliveriesEndpoint,
    },
  },
};

/**
 * The endpoints as in-process calls. Each takes its caller, the ids of its path, its body or query, and options. Validation, rules and
 * responses are the same as over HTTP; rate limits do not apply.
 */
export type InProcess = Bound<typeof CALLS>;

/** A table of endpoints as calls. */
export type Bound<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends SignedEndpoint<infer Signed>
    ? InProcessCall<Signed, Signed['idempotency'] extends 'ignored' ? [] : [options?: KeyedCall]>
    : Bound<Table[Name]>;
};

type InProcessCall<Signed extends Signature, Options extends readonly unknown[]> = (
  caller: Scope,
  ...given: [...Ids<Signed['path']>, ...Input<Signed>, ...Options]
) => Promise<Result<Signed['shape'], GateRefusal>>;

type Ids<Path> = Path extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : [];

type Input<Signed extends Signature> = Signed['body'] extends null
  ? keyof Signed['query'] extends never
    ? []
    : [query?: Signed['query']]
  : object extends Signed['body']
    ? [body?: Signed['body']]
    : [body: Signed['body']];

/** Options of an in-process call that changes something. */
interface KeyedCall {
  /** Calls with the same key return the same result. A key used over HTTP is a mismatch, because the two replies have different bytes. */
  readonly idempotencyKey?: string;
}

/** Options of an in-process call that moves money. The key is required, because a repeat without one would move it again. */
interface MoneyCall extends KeyedCall {
  readonly idempotencyKey: string;
}

/** A refund by an operator, with the rules and answers of the calls above. */
export type RefundCall =
  typeof refundTransactionCall extends SignedEndpoint<infer Signed>
    ? InProcessCall<Signed, [options: MoneyCall]>
    : never;

export function refundCall(host: HttpHost, by: AuditContext): RefundCall {
  // The type is derived from the endpoint that implements it.
  return callOf('gate.admin.refundTransaction', refundTransactionCall, { host, by, isKeyRequired: true }) as RefundCall;
}

/** `by` is who the audit trail names; null: the host. */
export function inProcess<Calls extends CallTable>(
  host: HttpHost,
  calls: Calls,
  by: AuditContext | null = null,
): Bound<Calls> {
  // `Bound` derives each call's type from the endpoint that implements it.
  return bound('gate', calls, { host, by }) as Bound<Calls>;
}

interface Calling {
  readonly host: HttpHost;
  readonly by: AuditContext | null;
  readonly isKeyRequired?: boolean;
}

/** Endpoints by their names on the gate. */
export type CallTable = { readonly [name: string]: AnyEndpoint | CallTable };

function bound(place: string, table: CallTable, calling: Calling): Readonly<Record<string, unknown>> {
  const members = Object.entries(table).map(([name, member]) => {
    const at = `${place}.${name}`;
    return [name, isEndpoint(member) ? callOf(at, member, calling) : bound(at, member, calling)];
  });
  return Object.fromEntries(members) as Readonly<Record<string, unknown>>;
}

function isEndpoint(member: CallTable[string]): member is AnyEndpoint {
  return 'run' in member;
}

/** The HTTP pipeline without the socket-specific steps: the same readers in the same order. */
function callOf(place: string, endpoint: AnyEndpoint, { host, by, isKeyRequired = false }: Calling) {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return async (scope: Scope, ...given: unknown[]): Promise<Result<unknown, GateRefusal>> => {
    throwIfAny(`${place} received an invalid caller`, callerProblems(scope));
    const { engine } = host;
    const { mode } = scope;
    await host.ready();
    const { actor, reason, requestId } = by ?? { actor: { type: 'host', id: place }, reason: null, requestId: null };
    const caller = { partner: await partnerOf(host, scope), scope, actor, reason };
    if (endpoint.hosts !== ALL_HOSTS && !endpoint.hosts.some((one) => one.mode === mode))
      return refuse('key_mode_mismatch', `${place} does not exist in ${mode} mode.`);
    const unentitled = entitlementRefusal(endpoint, caller.partner);
    if (unentitled !== null) return err(unentitled);
    if (endpoint.beginsPayment === true && isSuspended(caller.partner)) return err(PARTNER_SUSPENDED);
    const ids = given.slice(0, names.length).map(String);
    const rest = given.slice(names.length);
    const hasInput = endpoint.body.kind === 'json' || Object.keys(endpoint.query.parameters ?? {}).length > 0;
    const input = (hasInput ? rest.shift() : null) ?? {};
    const options = endpoint.idempotency === 'ignored' ? null : rest.shift();
    throwIfAny(`${place} received invalid options`, optionProblems(options));
    const key = readIdempotencyKey((options as KeyedCall | null | undefined)?.idempotencyKey ?? null, isKeyRequired);
    if (key.isErr()) return err(key.error);
    const query = readQuery(endpoint, endpoint.body.kind === 'json' ? {} : input);
    if (query.isErr()) return err(query.error);
    const body = readBody(endpoint, scope, input);
    if (body.isErr()) return err(body.error);
    const path = [endpoint.name, ...ids].join('/');
    const use =
      key.value === null
        ? null
        : { key: key.value, scope, browser: null, method: 'CALL', path, canonicalBody: body.value.canonical };
    const call: Call<Callers['secret'], unknown, unknown> = {
      host,
      engine,
      mode,
      caller,
      params: Object.fromEntries(names.map((name, index) => [name, idOf(ids[index] ?? '')])),
      query: query.value,
      body: body.value.value,
      requestId: requestId ?? place,
      path: names.reduce(
        (text, name, index) => text.replace(`{${name}}`, encodeURIComponent(ids[index] ?? '')),
        endpoint.path,
      ),
      origin: null,
      headers: () => ({}),
      keyed: <Value>(render: (value: Value) => JsonText): Idempotent<Value> | null =>
        use === null
          ? null
          : {
              ...identifyUse(engine, use),
              owner: use.scope,
              write: 'claim',
              render: (value) => ({ status: endpoint.success, headers: {}, body: render(value) }),
            },
      answer: (answered, render) =>
        answered.kind === 'replayed' ? answered.reply : (answered.reply ?? render(answered.value)),
    };
    const done = await entered(engine, endpoint.name, (within) => endpoint.run({ ...call, engine: within }));
    // The text that HTTP would send, rendered from the endpoint's shape.
    return done.map((reply): unknown => JSON.parse(typeof reply === 'string' ? reply : reply.body));
  };
}

/** The partner that the host calls for. An unknown one is an error of the host, not a refusal. */
async function partnerOf({ engine }: HttpHost, { partnerId }: Scope): Promise<Partner> {
  const partner = await engine.partners.findPartner(partnerId);
  if (partner === null) throw new Error(`No such partner: ${partnerId}.`);
  return partner;
}

function readQuery({ query }: AnyEndpoint, given: object): Result<unknown, GateRefusal> {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(given) as [string, string | number | null | undefined][])
    if (value !== undefined && value !== null) named.set(name, String(value));
  return query.read(named).mapErr((errors) => queryRefusal(errors));
}

function readBody(
  { body }: AnyEndpoint,
  { mode }: Scope,
  given: unknown,
): Result<{ readonly value: unknown; readonly canonical: string }, GateRefusal> {
  if (body.kind !== 'json') return ok({ value: null, canonical: '{}' });
  if (!isRecord(given)) return refuse('validation_failed', 'The body must be an object.');
  const document = readJson(JSON.stringify(given), BODY_DEPTH_MAX);
  if (document.isErr()) return refuse('validation_failed', 'The body contains text or nesting that cannot be stored.');
  const { canonical } = document.value;
  return body
    .read({ document: document.value, mode })
    .map((value) => ({ value, canonical }))
    .mapErr((errors) => fieldRefusal(errors));
}

/** JavaScript hosts get no type errors, and an ignored key would make a retry run twice. */
const optionProblems = problemsBy(
  exactly(
    { idempotencyKey: z.string('must be a string of 1 to 255 visible ASCII characters').nullish() },
    'The options must be { idempotencyKey }',
  ).nullish(),
);
