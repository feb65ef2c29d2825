import type { Scope } from '@gateramp/core';
import { clientNetwork } from '@gateramp/core/domain';
import { errorBody, RouteTable } from '@gateramp/core/http';
import { err, ok, type Result } from 'neverthrow';
import type { Gate } from './gate.js';
import type { Approval } from './approval-endpoints.js';
import { type ConsoleRateLimits, limitAddress, limitSession } from './console-limits.js';
import { readCookie } from './cookie.js';
import type { Answer, AnyEndpoint, Served } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { openApiOf } from './open-api.js';
import { failure, NOTHING_HERE, type Refusal, refusal, refusalOf, refuse } from './refusal.js';
import { invalid, readBody, readQuery, REASON_LENGTH_MAX, unstorableIn } from './read-request.js';
import { includes, type Role } from './roles.js';
import { newRequestId } from './request-id.js';
import { type Kept, requestApproval } from './second-person.js';
import { OpenStreams } from './open-streams.js';
import { type Authorize, sameAccess, scopeOfCall, type Visitor, visitorOf } from './visitor.js';

export const API_PATH = '/console/v1';

/** The OpenAPI document of `/console/v1`. */
export function consoleApi(): Readonly<Record<string, unknown>> {
  return openApiOf(ENDPOINTS);
}

const ROUTES = new RouteTable(ENDPOINTS);

let document: string | null = null;

/** Rendered once, at the first request. */
const openApi = (): string => (document ??= JSON.stringify(consoleApi()));

/** What the API answers requests with. */
export interface ApiParts extends Served {
  readonly authorize: Authorize;
  /** The message to visitors without a session. */
  readonly howToEnter: string;
  readonly origin: URL;
  readonly rateLimits: ConsoleRateLimits | null;
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Answers the requests below `/console/v1`. Never rejects. */
export function consoleApiHandler(
  parts: ApiParts,
): (request: Request, url: URL, clientIp: string) => Promise<Response> {
  const streams = new OpenStreams();
  return async (request, url, clientIp) => {
    const requestId = newRequestId();
    const answered = await answer({ ...parts, streams, clientIp }, request, url, requestId).catch(
      (error: unknown): Result<Sent, Refusal> => {
        const refused = refusalOf(error);
        if (refused !== null) return err(refused);
        parts.onError(error, requestId);
        return err(failure(error));
      },
    );
    if (answered.isErr()) {
      const { error } = answered;
      return json(error.status, errorBody(error, requestId, error.status), requestId, error.headers);
    }
    const { status, scope, answer: sent } = answered.value;
    const times = timesOf(parts.gate, scope);
    if (sent instanceof Response) {
      sent.headers.set('x-request-id', requestId);
      for (const [name, value] of Object.entries(times)) sent.headers.set(name, value);
      if (request.method !== 'HEAD') return sent;
      await sent.body?.cancel();
      return new Response(null, sent);
    }
    return json(status, JSON.stringify(sent.json), requestId, { ...times, ...sent.headers });
  };
}

interface Sent {
  readonly status: number;
  readonly scope: Scope | null;
  readonly answer: Answer;
}

/** The checks of a request, in the order in which they refuse. */
async function answer(
  parts: ApiParts & { readonly streams: OpenStreams; readonly clientIp: string },
  request: Request,
  url: URL,
  requestId: string,
): Promise<Result<Sent, Refusal>> {
  const path = url.pathname.slice(API_PATH.length);
  const found = ROUTES.find(request.method, path);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isPublic = found === null || found.endpoint.audience === 'public';
  const tooMany = await limitAddress(parts.rateLimits, clientNetwork(parts.clientIp), { isRead, isPublic });
  if (tooMany !== null) return err(tooMany);
  if (found === null)
    return ROUTES.has(path)
      ? refuse('method_not_allowed', 'This path does not take this method.')
      : refuse('not_found', 'There is no such endpoint.');
  const { endpoint, params } = found;
  const unstorable = unstorableIn([...Object.entries(params), ...url.searchParams]);
  if (unstorable !== null) return err(unstorable);
  const foreign = crossSiteRefusal(request, parts.origin);
  if (foreign !== null) return err(foreign);

  const token = readCookie(parts.cookie, request);
  const visitor = endpoint.audience === 'public' ? null : await visitorOf(parts.gate, request, { token, ...parts });
  if (endpoint.audience !== 'public' && visitor === null) return refuse('unauthenticated', parts.howToEnter);
  const tooBusy = visitor === null ? null : await limitSession(parts.rateLimits, visitor, { isRead, isPublic });
  if (tooBusy !== null) return err(tooBusy);
  const allowed = await scopeFor(parts.gate, endpoint, visitor, url.searchParams);
  if (allowed.isErr()) return err(allowed.error);
  const scope = allowed.value;
  const role = roleNeeded(endpoint, scope);
  if (visitor !== null && role !== null && !includes(visitor.role, role))
    return refuse('insufficient_role', `This needs the role ${role}; you have ${visitor.role}.`);

  const body = await readBody(endpoint, request);
  if (body.isErr()) return err(body.error);
  const { reason, rest } = body.value;
  if (reason === null && needsReason(endpoint, scope, rest))
    return refuse('reason_required', 'Say why: add { "reason": "…" } to the body. It is recorded in the audit trail.');
  const query = readQuery(endpoint, url.searchParams);
  if (query.isErr()) return err(query.error);

  const actor = visitor?.actor ?? { type: 'operator' as const, id: 'console' };
  const why = { requestId, ...(reason === null ? {} : { reason }) };
  const current = () => visitorOf(parts.gate, request, { token, ...parts });
  const common = {
    ...{ visitor, path: url.pathname, token, signal: request.signal, streams: parts.streams },
    current,
    isStillIn: async () => sameAccess(visitor, await current()),
  };
  const change = { params, scope, body: rest };
  if (visitor !== null) {
    const requester = { visitor, reason: reason ?? '', requestId, role: role ?? 'admin', legs: parts.legs };
    const asked = await requestApproval(parts.gate, endpoint, { ...change, ...requester });
    if (asked !== null) return asked.map((json) => ({ status: 202, scope, answer: { json } }));
  }
  const done = await runAs(parts, endpoint, actor, why, {
    ...common,
    ...change,
    query: query.value,
    reason,
    approvalId: null,
    perform: (approval: Approval) => performed(parts, approval, { ...common, requestId }),
  });
  return done.map((sent) => ({ status: endpoint.success, scope, answer: sent }));
}

/**
 * The clocks by which the times in an answer are to be read: the device's own may be wrong, and a sandbox may have been moved. In epoch
 * milliseconds.
 */
function timesOf({ clock }: Gate, scope: Scope | null): Readonly<Record<string, string>> {
  const now = { 'gate-now': String(clock.now('live')) };
  return scope?.mode === 'test' ? { ...now, 'gate-sandbox-now': String(clock.now(scope)) } : now;
}

type Why = NonNullable<Parameters<Gate['as']>[1]>;

function runAs(parts: ApiParts, endpoint: AnyEndpoint, actor: Actor, why: Why, call: object) {
  const { gate, origin } = parts;
  const run = endpoint.run as (given: object) => ReturnType<AnyEndpoint['run']>;
  return run({
    ...parts,
    admin: gate.admin.as(actor, why),
    door: gate.console.as(actor, why),
    calls: gate.as(actor, why),
    origin: origin.origin,
    openApi,
    ...call,
  });
}

type Actor = Parameters<Gate['as']>[0];

/** Executes an approved change on behalf of its requester. The audit trail names both people. */
async function performed(
  parts: ApiParts,
  { id, operation, partnerId, mode, change, reason, requestedBy, decidedBy }: Approval,
  { requestId, ...common }: { readonly requestId: string },
): Promise<Result<Answer, Refusal>> {
  const endpoint = ENDPOINTS.find(({ name, secondPerson }) => name === operation && secondPerson !== undefined);
  if (endpoint === undefined) return refuse('not_found', `This version of the console has no operation ${operation}.`);
  // Written by `requestApproval`, and unchanged since: its digest has been checked.
  const { params, body: kept } = change as unknown as Kept;
  const { body: schema } = endpoint;
  const read = schema === null || schema === 'mirrored' ? null : schema.safeParse(kept);
  if (read?.success === false) return err(invalid(read.error));
  const both = `(approved by ${decidedBy?.id ?? 'unknown'}, approval ${id})`;
  const why = { requestId, reason: `${reason.slice(0, REASON_LENGTH_MAX - both.length - 1)} ${both}` };
  const scope = partnerId !== null && mode !== null && endpoint.audience === 'partner' ? { partnerId, mode } : null;
  try {
    return await runAs(parts, endpoint, requestedBy, why, {
      ...common,
      ...{ params, scope, query: {}, body: read?.data ?? kept, reason: why.reason },
      approvalId: id,
      perform: () => Promise.resolve(err(NOTHING_HERE)),
    });
  } catch (error) {
    const refused = refusalOf(error);
    if (refused !== null) return err(refused);
    throw error;
  }
}

/** Browsers mark the site of a request themselves; a page of another site can neither send this header nor JSON without asking. */
function crossSiteRefusal(request: Request, origin: URL): Refusal | null {
  if (request.method === 'GET' || request.method === 'HEAD') return null;
  const site = request.headers.get('sec-fetch-site');
  const isOwn = site === null ? isOwnOrigin(request.headers.get('origin'), origin) : site === 'same-origin';
  if (!isOwn)
    return refusal(
      'cross_site_request',
      'Changes are accepted from the console’s own origin only. Send Sec-Fetch-Site: same-origin, or its Origin.',
    );
  if ((request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity')
    return refusal('unsupported_media_type', 'Send the body without compression: omit the header Content-Encoding.');
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? null : refusal('unsupported_media_type', 'Send Content-Type: application/json.');
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** A local console is opened by any of the names of this machine. */
function isOwnOrigin(given: string | null, own: URL): boolean {
  if (given === own.origin) return true;
  if (given === null || own.protocol !== 'http:' || !URL.canParse(given)) return false;
  const { protocol, hostname, port } = new URL(given);
  return protocol === own.protocol && port === own.port && LOOPBACK_NAMES.includes(hostname);
}

async function scopeFor(
  gate: Gate,
  { audience }: AnyEndpoint,
  visitor: Visitor | null,
  query: URLSearchParams,
): Promise<Result<Scope | null, Refusal>> {
  if (visitor === null) return ok(null);
  if ((audience === 'operators' || audience === 'installation') && visitor.kind !== 'operator')
    return refuse('insufficient_role', 'This is for operators of the installation.');
  if (audience === 'installation' && visitor.partners !== null) return err(NOTHING_HERE);
  if (audience !== 'partner') return ok(null);
  const scope = scopeOfCall(visitor, query);
  if (scope === 'unnamed')
    return refuse('validation_failed', 'Name the partner and the mode: ?partner=…&mode=test, or mode=live.');
  if (scope === null || (await gate.admin.findPartner(scope.partnerId)) === null) return err(NOTHING_HERE);
  return ok(scope);
}

function roleNeeded({ needs }: AnyEndpoint, scope: Scope | null): Role | null {
  if (needs === null || typeof needs === 'string') return needs;
  return scope === null ? needs.live : needs[scope.mode];
}

function needsReason({ reason, isPreview }: AnyEndpoint, scope: Scope | null, body: unknown): boolean {
  if (reason === 'never' || isPreview?.(body) === true) return false;
  return reason === 'always' || scope?.mode === 'live';
}

function json(
  status: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const common = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-request-id': requestId };
  if (status === 204) return new Response(null, { status, headers: { ...common, ...headers } });
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...common, ...headers },
  });
}
