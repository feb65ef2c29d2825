import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawCallback } from '@gateramp/core/ports';
import Stripe from 'stripe';
import { Books, type Intent, Refused } from './books.js';
import { operationOf, requestProblems, responseProblems, schemaProblems } from './openapi.js';
import { readParams, type Params } from './params.js';

export const WEBHOOK_SECRET = 'whsec_test_of_the_fake';
export const PUBLIC_KEY = 'pk_test_of_the_fake';
export const SECRET_KEY = 'sk_test_of_the_fake';

/** A fault of one request. `…_before`: it has no effect; `…_after`: it has its effect, but the response is lost or an error. */
export type Fault =
  | 'lost_before'
  | 'lost_after'
  | 'error_before'
  | 'error_after'
  | 'rate_limited'
  | 'busy'
  /** The response waits until `release`. */
  | 'held';

interface Planned {
  readonly operation: string;
  readonly fault: Fault;
}

interface Stored {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: object;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly isReplayed?: boolean;
}

/**
 * A fake of Stripe's API over HTTP: PaymentIntents, refunds, idempotency keys and webhooks, with faults on request. Every request and
 * response is checked against Stripe's OpenAPI document; differences are in `violations`.
 */
export class FakeStripe {
  readonly books = new Books();
  readonly violations: string[] = [];
  /** The requested operations, oldest first. */
  readonly requests: string[] = [];
  /** Every received body, so that tests can look for data that must never be sent. */
  readonly bodies: string[] = [];
  readonly #keys = new Map<string, Stored>();
  readonly #inFlight = new Set<string>();
  readonly #faults: Planned[] = [];
  readonly #held: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<FakeStripe> {
    const fake = new FakeStripe();
    await fake.listen();
    return fake;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The official client for this account. */
  client(config: ConstructorParameters<typeof Stripe>[1] = {}): Stripe {
    return new Stripe(SECRET_KEY, {
      host: '127.0.0.1',
      port: this.port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
      ...config,
    });
  }

  /** Makes the next request of the operation fail with the fault. */
  fail(operation: string, fault: Fault): void {
    this.#faults.push({ operation, fault });
    // The official client repeats a request with a lost connection once, even without retries.
    if (fault === 'lost_before' || fault === 'lost_after') this.#faults.push({ operation, fault: 'lost_before' });
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Sends the held responses. */
  release(): void {
    for (const resume of this.#held.splice(0)) resume();
  }

  /** Clears everything except `violations`. */
  clear(): void {
    this.books.intents.clear();
    this.books.refunds.clear();
    this.books.disputes.clear();
    this.books.events.length = 0;
    this.books.balance.length = 0;
    this.requests.length = 0;
    this.bodies.length = 0;
    this.forgetKeys();
  }

  /** Deletes the idempotency keys, as Stripe does after 24 hours. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  /** The PaymentIntents of one call. */
  intentsOf(callId: string): readonly Intent[] {
    return [...this.books.intents.values()].filter(({ metadata }) => metadata['gate_call_id'] === callId);
  }

  /** The PaymentIntents of one call that have reserved or captured the buyer's money. */
  chargesOf(callId: string): readonly Intent[] {
    return this.intentsOf(callId).filter(({ status }) => status === 'requires_capture' || status === 'succeeded');
  }

  /** The signed webhook of an event. */
  callback(event: Stripe.Event, signed: { readonly secret?: string; readonly at?: number } = {}): RawCallback {
    const problems = schemaProblems('event', event) ?? problemsOfObject(event);
    if (problems !== null) this.violations.push(`event ${event.type}: ${problems}`);
    const now = Date.now();
    const payload = JSON.stringify(event, null, 2);
    const header = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: signed.secret ?? WEBHOOK_SECRET,
      timestamp: Math.floor((signed.at ?? now) / 1_000),
    });
    return { rawBody: Buffer.from(payload), headers: { 'stripe-signature': header }, mode: 'test', now, modeNow: now };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stripe');
    const method = request.method ?? 'GET';
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.bodies.push(text);
    const operation = operationOf(method, url.pathname);
    if (operation === null) return this.#violate(response, `${method} ${url.pathname} is not an operation in use.`);
    this.requests.push(operation);
    const params = readParams(method === 'GET' ? url.search : text);
    const problems = requestProblems(operation, params);
    if (problems !== null) return this.#violate(response, `${operation}: ${problems}`);
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`)
      return send(response, {
        status: 401,
        body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_****key' } },
      });
    const fault = this.#faultOf(operation);
    const refusal = fault === null ? null : REFUSALS[fault];
    if (refusal !== null && refusal !== undefined) return send(response, refusal);
    if (fault === 'lost_before') return void response.destroy();
    const key = header(request, 'idempotency-key');
    const id = url.pathname.split('/')[3] ?? '';
    const answer = this.#once(key, { fingerprint: `${operation} ${id} ${text}`, fault }, () =>
      this.#carryOut(operation, id, params),
    );
    if (fault === 'lost_after') return void response.destroy();
    if (fault === 'held') {
      if (key !== null) this.#inFlight.add(key);
      await new Promise<void>((resolve) => this.#held.push(resolve));
      if (key !== null) this.#inFlight.delete(key);
    }
    this.#check(operation, answer);
    send(response, answer);
  }

  /** Runs a request once per key and returns the stored response to repeats, as Stripe does for 24 hours. */
  #once(
    key: string | null,
    { fingerprint, fault }: { readonly fingerprint: string; readonly fault: Fault | null },
    carryOut: () => Answer,
  ): Answer {
    if (key !== null && this.#inFlight.has(key)) return refusalOf(409, 'idempotency_error', 'idempotency_key_in_use');
    const stored = key === null ? undefined : this.#keys.get(key);
    if (stored !== undefined) {
      if (stored.fingerprint === fingerprint) return { ...stored, isReplayed: true };
      return refusalOf(400, 'idempotency_error', null);
    }
    if (fault === 'error_after') carryOut();
    const isError = fault === 'error_after' || fault === 'error_before';
    const answer = isError ? refusalOf(500, 'api_error', null) : carryOut();
    if (key !== null) this.#keys.set(key, { fingerprint, ...answer });
    return answer;
  }

  #carryOut(operation: string, id: string, params: Params): Answer {
    try {
      return { status: 200, body: structuredClone(this.#answerOf(operation, id, params)) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.status, body: { error: error.error } };
    }
  }

  #answerOf(operation: string, id: string, params: Params): object {
    const { books } = this;
    const text = (name: string) => (typeof params[name] === 'string' ? params[name] : null);
    switch (operation) {
      case 'POST /v1/payment_intents':
        return books.create(params as unknown as Parameters<Books['create']>[0]);
      case 'GET /v1/payment_intents/{intent}':
        return expanded(books, books.intent(id), params);
      case 'POST /v1/payment_intents/{intent}/confirm':
        return expanded(books, books.confirm(id, text('payment_method'), text('return_url')), params);
      case 'POST /v1/payment_intents/{intent}/capture':
        return expanded(books, books.capture(id), params);
      case 'POST /v1/payment_intents/{intent}/cancel':
        return expanded(books, books.cancel(id), params);
      case 'POST /v1/customers':
        return { id: books.id('cus'), object: 'customer', created: 1, livemode: false, ...params };
      case 'POST /v1/refunds':
        return books.refund(params as unknown as Parameters<Books['refund']>[0]);
      case 'GET /v1/disputes':
        return this.#list('/v1/disputes', ofPayment([...books.disputes.values()], params), params);
      case 'GET /v1/balance_transactions': {
        const { created } = params as { readonly created?: { readonly lt?: number; readonly gte?: number } };
        const lines = books.balance
          .filter(({ created: at }) => at < (created?.lt ?? Infinity) && at >= (created?.gte ?? 0))
          .map((line) => ({ ...line, source: books.sourceOf(line) }));
        return this.#list('/v1/balance_transactions', lines, params);
      }
      default:
        return this.#list('/v1/refunds', ofPayment([...books.refunds.values()], params), params);
    }
  }

  /** Lists objects, newest first. A page has at most two entries, so that clients have to read further pages. */
  #list(url: string, objects: readonly { readonly id: string }[], params: Params): object {
    const all = objects.toReversed();
    const before = all.findIndex(({ id }) => id === params['ending_before']);
    const from =
      before === -1 ? all.findIndex(({ id }) => id === params['starting_after']) + 1 : Math.max(0, before - 2);
    const data = all.slice(from, before === -1 ? from + 2 : before);
    return { object: 'list', url, has_more: before === -1 ? all.length > from + 2 : from > 0, data };
  }

  #check(operation: string, { status, body }: Answer): void {
    const problems = status === 200 ? responseProblems(operation, body) : schemaProblems('error', body);
    if (problems !== null) this.violations.push(`answer to ${operation}: ${problems}`);
  }

  #violate(response: ServerResponse, problem: string): void {
    this.violations.push(problem);
    send(response, refusalOf(400, 'invalid_request_error', 'parameter_unknown'));
  }

  #faultOf(operation: string): Fault | null {
    const index = this.#faults.findIndex((planned) => planned.operation === operation);
    return index < 0 ? null : (this.#faults.splice(index, 1)[0]?.fault ?? null);
  }
}

const REFUSALS: Partial<Record<Fault, Answer>> = {
  rate_limited: refusalOf(429, 'invalid_request_error', 'rate_limit'),
  busy: refusalOf(429, 'invalid_request_error', 'lock_timeout'),
};

function refusalOf(status: number, type: string, code: string | null): Answer {
  return { status, body: { error: { type, message: 'Refused by the fake.', ...(code === null ? {} : { code }) } } };
}

function ofPayment<Item extends { readonly payment_intent: unknown }>(items: readonly Item[], params: Params) {
  return items.filter((one) => one.payment_intent === params['payment_intent']);
}

function expanded(books: Books, intent: Intent, params: Params): object {
  const wanted = Array.isArray(params['expand']) && params['expand'].includes('latest_charge');
  if (!wanted || typeof intent.latest_charge !== 'string') return intent;
  return { ...intent, latest_charge: books.chargeOf(intent) };
}

function problemsOfObject({ data }: Stripe.Event): string | null {
  return schemaProblems(data.object.object, data.object);
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function send(response: ServerResponse, { status, body, isReplayed = false }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': 'req_fake',
    ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
  });
  response.end(JSON.stringify(body));
}
