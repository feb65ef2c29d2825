import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Mode } from '@gateramp/core';
import type { HostName } from './operations.js';
import { createTestGate, TEST_WIDGET_ORIGINS, type TestGate, type TestGateOptions } from '@gateramp/testing';
import type { Law } from '../law.js';
import type { HttpSubject, MountedHost, WireResponse } from './subject.js';
import { readAnswer, type Answer } from './answer.js';
import { expectDescribed, expectDescribedEvent } from './described.js';

/** A request of a law; absent members are not sent. */
export interface Sent {
  /** The host that receives it; test by default. */
  readonly mode?: Mode;
  /** Uses the host of the pools product instead of the checkout's. */
  readonly product?: 'pools';
  /** Sent as `Authorization: Bearer …`. */
  readonly key?: string;
  /** Sent as `X-Embed-Token`. */
  readonly token?: string;
  /** With an embed token, by default that of the checkout; null: none. */
  readonly origin?: string | null;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
}

/** A gate, served by the subject as the hosts of both modes. */
export interface HttpWorld {
  readonly t: TestGate;
  /** Sends a request, and checks the response against the general contract and the OpenAPI document. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Fetches a page that is not part of the API, such as its documentation. */
  page(method: string, path: string, mode: Mode): Promise<WireResponse>;
}

/** The secret of provider callbacks in every world. */
export const CALLBACK_SECRET = 'callback-secret-of-the-laws';

export type WorldOptions = TestGateOptions | (() => TestGateOptions);

/** A law about one world; its gate is created for it, and its hosts are closed after it. */
export function httpLaw(
  topic: string,
  title: string,
  run: (world: HttpWorld) => Promise<void>,
  options: WorldOptions = {},
): Law<HttpSubject> {
  return { topic, title, run: (subject) => inWorld(subject, options, run) };
}

export async function inWorld<Value>(
  subject: HttpSubject,
  options: WorldOptions,
  run: (world: HttpWorld) => Promise<Value>,
): Promise<Value> {
  const gateOptions = typeof options === 'function' ? options() : options;
  const providers = [sandboxProvider({ callbackSecret: CALLBACK_SECRET })];
  const openStore = (await subject.store?.()) ?? null;
  const made = await createTestGate({
    ...gateOptions,
    ...(subject.extensions === undefined ? {} : { extensions: subject.extensions }),
    ports: { providers, ...(openStore === null ? {} : { store: openStore.store }), ...gateOptions.ports },
  });
  // A law of a product runs only where its extension is.
  const t = made as unknown as TestGate;
  const hosts = new Map<HostName, Promise<MountedHost>>();
  const mounted = (at: HostName) => {
    const host =
      hosts.get(at) ?? (at === 'pools' ? subject.mount(t.gate.poolsHost, 'live') : subject.mount(t.gate, at));
    hosts.set(at, host);
    return host;
  };
  try {
    const done = await run({
      t,
      send: async (method, path, sent = {}) => {
        const host = await mounted(hostOf(sent));
        return send({ host, errorPage: errorPageOf(t) }, method, path, sent);
      },
      page: async (method, path, mode) => (await mounted(mode)).send({ method, path }),
    });
    for (const { body } of t.deliveries()) expectDescribedEvent(body);
    return done;
  } finally {
    for (const host of hosts.values()) await (await host).close();
    await openStore?.close();
  }
}

function hostOf({ product, mode = 'test' }: Sent): HostName {
  return product ?? mode;
}

/** An extension whose pages explain errors has its page at `/docs`. */
function errorPageOf({ ports }: TestGate): string | null {
  return ports.extensions.some(({ pages }) => pages !== undefined) ? '/docs' : null;
}

interface Receiver {
  readonly host: MountedHost;
  readonly errorPage: string | null;
}

async function send({ host, errorPage }: Receiver, method: string, path: string, sent: Sent): Promise<Answer> {
  const body = bodyOf(sent.body);
  const headers = headersOf(sent, body !== null);
  const answer = readAnswer(
    await host.send(body === null ? { method, path, headers } : { method, path, headers, body }),
    errorPage,
  );
  expectDescribed({ method, path, host: hostOf(sent) }, answer);
  return answer;
}

function bodyOf(body: unknown): string | Uint8Array | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function originOf({ token, origin, mode = 'test' }: Sent): Readonly<Record<string, string>> {
  const named = origin === undefined && token !== undefined ? TEST_WIDGET_ORIGINS[mode] : (origin ?? null);
  return named === null ? {} : { origin: named };
}

function headersOf(sent: Sent, hasBody: boolean): Record<string, string> {
  return {
    ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
    ...(sent.token === undefined ? {} : { 'x-embed-token': sent.token }),
    ...originOf(sent),
    ...(sent.idempotencyKey === undefined ? {} : { 'idempotency-key': sent.idempotencyKey }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...sent.headers,
  };
}
