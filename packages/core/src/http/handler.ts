import type { Result } from 'neverthrow';
import type { Engine } from '../application/engine.js';
import { identifyUse, type Idempotent } from '../application/idempotency/idempotent.js';
import { notify } from '../application/listeners.js';
import { partsWithin } from '../application/tracing.js';
import { TryAgain } from '../application/commit/apply.js';
import { readIdempotencyKey, type WireReply } from '../domain/idempotency/idempotency.js';
import type { JsonText } from '../domain/json.js';
import type { Mode } from '../domain/mode.js';
import type { Partner } from '../domain/partner/partner.js';
import type { Refusal } from '../domain/refusal.js';
import type { AnyEndpoint, Auth, Call, Callers, HttpHost, Reply } from './endpoint.js';
import { ENGINE_ROUTES } from './endpoints.js';
import { errorReply, failureRefusal, JSON_HEADERS, LATE, RATE_LIMITED, requestRefusal, TOO_BUSY } from './errors.js';
import type { Host } from './hosts.js';
import { headerOf, headersOf, type HttpRequest, type HttpResponse, type UnreadBody } from './message.js';
import type { Page } from './page.js';
import { authenticate, entitlementRefusal, objectOf } from './pipeline/authenticate.js';
import { corsHeaders, originRefusal, preflightHeaders, type CorsContext } from './pipeline/cors.js';
import type { Slot } from './pipeline/admission.js';
import { cachedAnswer } from './pipeline/cached-answer.js';
import { FILE_TIMEOUT_MS, FileIntake, sentMediaType } from './pipeline/file-intake.js';
import { readBody } from './pipeline/read-body.js';
import { type Match, queryRefusal, Router } from './pipeline/router.js';
import { engineAt, isProbe, type RequestSpan, startRequest, Traffic } from './pipeline/traffic.js';
import {
  byAddress,
  byPartner,
  type PartnerWindow,
  PartnerWindows,
  throttle,
  type Throttled,
  uncountedHeaders,
} from './pipeline/throttle.js';

/** Serves the wire contract on any host. Never throws. */
export type HttpHandler = (at: Host, request: HttpRequest) => Promise<HttpResponse>;

/**
 * The complete wire contract as one function. It never throws: refusals use the error envelope, and a bug or an outage becomes a 500 or 503
 * with the request's id and no details.
 */
export function createHandler(host: HttpHost, routes = ENGINE_ROUTES, pages: readonly Page[] = []): HttpHandler {
  const { endpoints } = routes;
  const router = new Router(
    endpoints.filter((one) => one.needsTestClock !== true || host.testClock !== null),
    pages,
  );
  const traffic = new Traffic(host.engine.policy, host.timing);
  const partnerWindows = new PartnerWindows(host.engine);
  const files = new FileIntake();
  return (at, request) => new Exchange({ host, router, traffic, partnerWindows, files }, at, request).answer();
}

/** State shared by all requests of a process. */
interface Served {
  readonly host: HttpHost;
  readonly router: Router;
  readonly traffic: Traffic;
  readonly partnerWindows: PartnerWindows;
  readonly files: FileIntake;
}

/** One request on its way through the checks, in the order the contract states. */
class Exchange implements CorsContext {
  readonly requestId: string;
  readonly mode: Mode;
  readonly origin: string | null;
  endpoint: AnyEndpoint | null = null;
  partner: Partner | null = null;
  objectId: string | null = null;
  private rateHeaders: Readonly<Record<string, string>> = {};
  private readonly host: HttpHost;
  /** Whether the request counts as open; reset when it is answered. */
  private isOpen = false;
  /**
   * The file of a request that is refused before reading it. It must be discarded: a client whose bytes are not read may not receive the
   * response.
   */
  private unreadFile: UnreadBody | null;
  private startTimeout = (): void => {};
  private stopTimeout = (): void => {};
  /** Whether the request counts in a partner's windows instead of its address's. */
  private isCountedPerPartner = false;
  private slot: Slot | null = null;
  private span: RequestSpan | null = null;

  constructor(
    private readonly served: Served,
    private readonly at: Host,
    private readonly request: HttpRequest,
  ) {
    const { host } = served;
    this.host = host;
    this.mode = at.mode;
    this.requestId = `req_${host.engine.ids.secret(24)}`;
    this.origin = headerOf(request, 'origin');
    this.unreadFile = request.body.kind === 'unread' ? request.body : null;
  }

  /** Responds within `policy.requestTimeout` at the latest. Pending work then continues, and its reply is stored under its key. */
  answer(): Promise<HttpResponse> {
    return new Promise((resolve) => {
      this.startTimeout = () => {
        const { timing, engine } = this.host;
        this.stopTimeout = timing.later(() => this.end(resolve, this.refuse(LATE)), engine.policy.requestTimeout);
      };
      this.startTimeout();
      void this.work().then((answer) => {
        this.stopTimeout();
        this.end(resolve, answer);
      });
    });
  }

  /** Receives a file within its own time limit, without occupying a slot. Null if the limit is exceeded. */
  private async receive<Value>(work: Promise<Value>): Promise<Value | null> {
    this.stopTimeout();
    this.unreadFile = null;
    let stop = (): void => {};
    const late = new Promise<null>((resolve) => {
      stop = this.host.timing.later(() => resolve(null), FILE_TIMEOUT_MS);
    });
    const received = Promise.race([work, late]);
    try {
      return await (this.slot === null ? received : this.slot.outside(received));
    } finally {
      stop();
      this.startTimeout();
    }
  }

  private end(resolve: (answer: HttpResponse) => void, answer: HttpResponse): void {
    this.slot?.leave();
    if (this.isOpen) this.served.traffic.answered();
    this.isOpen = false;
    this.unreadFile?.read(0).catch(() => undefined);
    this.unreadFile = null;
    const ended = this.span?.end(this.requestId, answer) ?? answer;
    this.span = null;
    resolve(ended);
  }

  private async work(): Promise<HttpResponse> {
    try {
      return await this.route();
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Avoids awaits: every request passes here, and each await costs time. */
  private route(): HttpResponse | Promise<HttpResponse> {
    const { at, request } = this;
    const unserved = requestRefusal(request);
    if (unserved !== null) return this.refuseUnserved(unserved);
    const page = this.served.router.findPage(request.method, request.path);
    if (page !== null) return this.show(page);
    const preflight = request.method === 'OPTIONS' ? this.served.router.findAny(request.path, at) : null;
    if (preflight !== null && preflight.endpoint.cors !== null && this.origin !== null)
      return this.preflight(this.origin);
    const match = this.served.router.find(request.method, request.path, at);
    this.endpoint = match?.endpoint ?? null;
    this.span = match === null ? null : startRequest(this.host.engine, match.endpoint, request);
    return this.span === null ? this.count(match) : this.span.run(async () => this.count(match));
  }

  private count(match: Match | null): HttpResponse | Promise<HttpResponse> {
    const { mode, request } = this;
    const window = this.served.partnerWindows.recall(this.endpoint, request);
    this.isCountedPerPartner = window !== null;
    const client = window === null ? byAddress(mode, request.clientIp) : byPartner(mode, window);
    const counted = throttle(this.host.engine, this.endpoint, client);
    // In-process limits return synchronously; only a promise is awaited.
    return counted instanceof Promise
      ? counted.then((throttled) => this.admit(match, throttled))
      : this.admit(match, counted);
  }

  /** Counts in no window: the clients behind a proxy are not responsible for its broken connections. */
  private async refuseUnserved(refusal: Refusal): Promise<HttpResponse> {
    this.rateHeaders = await uncountedHeaders(this.host.engine, byAddress(this.mode, this.request.clientIp));
    return this.refuse(refusal);
  }

  /** Public. Counts in the global tiers of the address: each page is large. */
  private async show(page: Page): Promise<HttpResponse> {
    const { blocked, headers } = await throttle(this.host.engine, null, byAddress(this.mode, this.request.clientIp));
    this.rateHeaders = headers;
    if (blocked) return this.refuse(RATE_LIMITED);
    return this.send({
      status: 200,
      headers: { ...page.headers, 'x-request-id': this.requestId },
      body: page.body(this.at, this.request.prefix || '/'),
    });
  }

  private admit(match: Match | null, throttled: Throttled): HttpResponse | Promise<HttpResponse> {
    this.rateHeaders = throttled.headers;
    if (throttled.blocked) return this.isCountedPerPartner ? this.refuse(RATE_LIMITED) : this.admitPartner(match);
    if (match === null) {
      const path = this.request.path.slice(0, PATH_SHOWN_MAX);
      return this.refuse({
        code: 'route_not_found',
        message: `There is no endpoint ${this.request.method} ${path} on this host.`,
      });
    }
    return this.check(match.endpoint, match.params);
  }

  /** The windows of the address are used up, possibly by others behind it. A partner with its own windows is not affected. */
  private async admitPartner(match: Match | null): Promise<HttpResponse> {
    const window = match === null ? null : await this.served.partnerWindows.find(match.endpoint, this.request);
    if (match === null || window === null || (await this.isBlockedPerPartner(match.endpoint, window)))
      return this.refuse(RATE_LIMITED);
    return this.check(match.endpoint, match.params);
  }

  private async isBlockedPerPartner(endpoint: AnyEndpoint, window: PartnerWindow): Promise<boolean> {
    this.isCountedPerPartner = true;
    const throttled = await throttle(this.host.engine, endpoint, byPartner(this.mode, window));
    this.rateHeaders = throttled.headers;
    return throttled.blocked;
  }

  private async check(endpoint: AnyEndpoint, params: Readonly<Record<string, string>>): Promise<HttpResponse> {
    const { at, request } = this;
    const { host, traffic } = this.served;
    const { engine } = host;
    if (!isProbe(endpoint)) {
      if (!traffic.open()) return this.refuse(TOO_BUSY);
      this.isOpen = true;
    }
    await host.ready();
    const authenticated = await authenticate(engine, endpoint, at, request);
    const caller = authenticated.isOk() ? authenticated.value : null;
    this.partner = caller?.partner ?? null;
    this.objectId = objectOf(caller, params);
    const window = this.served.partnerWindows.learn(endpoint, request, this.partner);
    if (window !== null && !this.isCountedPerPartner && (await this.isBlockedPerPartner(endpoint, window)))
      return this.refuse(RATE_LIMITED);
    if (authenticated.isErr()) return this.refuse(authenticated.error);
    if (isProbe(endpoint)) return this.serve(endpoint, { params, caller }, engine);
    const entered = traffic.enter(endpoint, this.partner?.id ?? '');
    // A free slot is taken without an await, which every request would pay for.
    const slot = entered instanceof Promise ? await entered : entered;
    if (slot === null) return this.refuse(TOO_BUSY);
    this.slot = slot;
    if (!this.isOpen) {
      // The request timed out while it waited, so this response is not needed.
      slot.leave();
      return this.refuse(LATE);
    }
    return this.serve(endpoint, { params, caller }, engineAt(slot, engine, this.span));
  }

  private async serve(
    endpoint: AnyEndpoint,
    { params, caller }: Pick<Call<Callers[Auth], unknown, unknown>, 'caller' | 'params'>,
    engine: Engine,
  ): Promise<HttpResponse> {
    const { host, mode, request } = this;
    const unentitled = entitlementRefusal(endpoint, this.partner);
    if (unentitled !== null) return this.refuse(unentitled);
    const unreadable = originRefusal(host, this);
    if (unreadable !== null) return this.refuse(unreadable);
    const key = readIdempotencyKey(
      endpoint.idempotency === 'ignored' ? null : headerOf(request, 'idempotency-key'),
      endpoint.idempotency === 'required',
    );
    if (key.isErr()) return this.refuse(key.error);
    const query = endpoint.query.read(request.query === '' ? NO_QUERY : new URLSearchParams(request.query));
    if (query.isErr()) return this.refuse(queryRefusal(query.error));
    const parts = { caller, params, query: query.value, engine };
    if (endpoint.body.kind === 'file')
      return this.serveFile(endpoint, this.call(endpoint, { ...parts, body: null }, key.value, ''));
    const body = readBody(endpoint, request, mode);
    if (body.isErr()) return this.refuse(body.error);
    const call = this.call(endpoint, { ...parts, body: body.value.value }, key.value, body.value.canonical);
    return this.conclude(endpoint, await endpoint.run(call));
  }

  /** Reads a file only if it is expected. It counts towards the limit until it has been handed over. */
  private async serveFile(endpoint: AnyEndpoint, call: Call<Callers[Auth], unknown, unknown>): Promise<HttpResponse> {
    const { request, partner } = this;
    const mediaType = sentMediaType(request);
    if (mediaType.isErr()) return this.refuse(mediaType.error);
    const awaited = await endpoint.awaitsFile?.(call);
    if (awaited?.isErr() === true) return this.refuse(awaited.error);
    const transfer = {
      request,
      mediaType: mediaType.value,
      partnerId: partner?.id ?? '',
      of: Object.values(call.params).join('/'),
      within: <Value>(work: Promise<Value>) => this.receive(work),
    };
    const done = await this.served.files.take(transfer, (file) => endpoint.run({ ...call, body: file }));
    return done.isErr() ? this.refuse(done.error) : this.conclude(endpoint, done.value);
  }

  private call(
    endpoint: AnyEndpoint,
    parts: Pick<Call<Callers[Auth], unknown, unknown>, 'caller' | 'params' | 'query' | 'body' | 'engine'>,
    key: string | null,
    canonicalBody: string,
  ): Call<Callers[Auth], unknown, unknown> {
    const { host, mode, request } = this;
    const keyed = <Value>(render: (value: Value) => JsonText): Idempotent<Value> | null => {
      const { caller } = parts;
      if (key === null || caller === null) return null;
      const browser = 'token' in caller ? (caller.token.sessionId ?? caller.token.jti) : null;
      const { method, path } = request;
      const used = identifyUse(host.engine, { key, scope: caller.scope, browser, method, path, canonicalBody });
      return {
        seal: used.seal,
        ref: used.ref,
        owner: caller.scope,
        write: 'claim',
        render: (value) => this.wire(endpoint, render(value)),
      };
    };
    return {
      caller: parts.caller,
      params: parts.params,
      query: parts.query,
      body: parts.body,
      host,
      engine: parts.engine,
      mode,
      requestId: this.requestId,
      path: request.path,
      origin: this.origin,
      headers: () => headersOf(request),
      keyed,
      answer: (answered, render) =>
        answered.kind === 'replayed' ? answered.reply : (answered.reply ?? render(answered.value)),
    };
  }

  private conclude(endpoint: AnyEndpoint, done: Result<Reply<unknown>, Refusal>): HttpResponse {
    if (done.isErr()) return this.refuse(done.error);
    const reply = typeof done.value === 'string' ? this.wire(endpoint, done.value) : done.value;
    const answer = this.send(reply);
    return endpoint.caching === null ? answer : cachedAnswer(this.host.engine, endpoint.caching, this.request, answer);
  }

  /** The reply to seal for replays, without the headers that belong to this response only. */
  private wire(endpoint: AnyEndpoint, body: JsonText): WireReply {
    return { status: endpoint.success, headers: { ...JSON_HEADERS, 'x-request-id': this.requestId }, body };
  }

  private refuse(refusal: Refusal): HttpResponse {
    const { requestId, host, at } = this;
    const { prefix = '' } = this.request;
    const links = { base: host.publicUrl ?? prefix, errorPath: this.served.router.errorPath };
    const reply = errorReply(refusal, { at, requestId, ...links, policy: host.engine.policy });
    notify(host.engine, (listener) => listener.refused?.(this, refusal, reply.status));
    return this.send(reply);
  }

  private send(reply: WireReply): HttpResponse {
    const cors = corsHeaders(this.host, this, reply.status);
    return {
      status: reply.status,
      headers: Object.assign({}, reply.headers, this.rateHeaders, cors),
      body: reply.body,
      ...(this.partner === null ? {} : { partnerId: this.partner.id }),
    };
  }

  private async preflight(origin: string): Promise<HttpResponse> {
    const headers = await uncountedHeaders(this.host.engine, byAddress(this.mode, this.request.clientIp));
    return {
      status: 204,
      headers: { 'x-request-id': this.requestId, ...headers, ...preflightHeaders(origin) },
      body: '',
    };
  }

  /** Reports bugs and outages in full to the operator, and without details to the caller. */
  private fail(error: unknown): HttpResponse {
    if (error instanceof TryAgain) return this.refuse({ code: 'try_again', message: error.message });
    const { engine } = this.host;
    const { telemetry } = this.span === null ? engine : partsWithin(engine, this.span.trace);
    telemetry.failure(error, {
      request_id: this.requestId,
      method: this.request.method,
      route: this.endpoint?.path ?? null,
      partner_id: this.partner?.id ?? null,
      mode: this.mode,
    });
    return this.refuse(failureRefusal(error));
  }
}

/** Maximum length of an unknown path in the error message. */
const PATH_SHOWN_MAX = 200;

const NO_QUERY = new URLSearchParams();
