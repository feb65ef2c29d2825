import type { Gate, GatePorts, Mode } from '@gateramp/core';
import type { GateHost } from '@gateramp/core/http';

/**
 * A test request; `body` is sent as JSON unless it is text or bytes. One with an embed token is sent as by the checkout, with its `Origin`,
 * unless its headers have another.
 */
export interface TestRequest {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly mode?: Mode;
  /** Sends the request to the host of the pools product, which is live. */
  readonly product?: 'pools';
  readonly clientIp?: string;
}

/** The answer to a test request, with its body parsed. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; an empty object if there is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends one request through the whole HTTP contract, without a socket. */
export async function sendRequest(
  gate: Gate & { readonly poolsHost?: GateHost },
  method: string,
  path: string,
  request: TestRequest = {},
  hosts: GatePorts['hosts'] = {},
): Promise<TestResponse> {
  const body = encode(request.body);
  const [host, mode] = request.product === 'pools' ? [gate.poolsHost, 'live' as const] : [gate, request.mode ?? 'test'];
  if (host === undefined) throw new Error('This gate has no pools.');
  const init: RequestInit = { method, headers: headersOf(request, hosts[mode]?.widgetOrigin, body !== null) };
  const response = await host.fetch(new Request(`http://gate.test${path}`, body === null ? init : { ...init, body }), {
    mode,
    clientIp: request.clientIp ?? '203.0.113.7',
  });
  const text = await response.text();
  // Every answer of the contract is a JSON object or empty.
  const json = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: Object.fromEntries(response.headers), text, json };
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined) return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return JSON.stringify(body);
}

function headersOf(request: TestRequest, widget: string | undefined, hasBody: boolean): Record<string, string> {
  return {
    ...(request.key === undefined ? {} : { authorization: `Bearer ${request.key}` }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    ...(request.headers?.['x-embed-token'] === undefined || widget === undefined ? {} : { origin: widget }),
    ...request.headers,
  };
}
