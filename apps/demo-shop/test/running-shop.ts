import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { demoShop, type DemoShopOptions } from '../src/server/index.js';

export const WEBHOOK_SECRET = 'whsec_demo_shop_test_secret';

export interface RunningShop {
  readonly origin: string;
  /** The requests of the shop's server to the API. */
  readonly requests: readonly ApiRequest[];
  /** The brandings that were set, newest last. */
  readonly looks: readonly ApiRequest['body'][];
  close(): void;
}

export interface ApiRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ShopOptions extends Partial<DemoShopOptions> {
  /** The branding before the first order. */
  readonly look?: ApiRequest['body'];
  /** The payment methods that the API lists; by default the list is unavailable. */
  readonly methods?: readonly object[];
}

/** Runs the shop on a free port, with an API that creates every requested session. */
export async function runShop({ look, methods, ...options }: ShopOptions = {}): Promise<RunningShop> {
  const requests: ApiRequest[] = [];
  const looks: ApiRequest['body'][] = look === undefined ? [] : [look];
  const api = await listen((request, response) => {
    void textOf(request).then((text) => {
      const body: ApiRequest['body'] = text === '' ? {} : JSON.parse(text);
      if (request.url === '/v1/branding') {
        if (request.method === 'POST') looks.push(body);
        return response.end(JSON.stringify({ display_name: null, accent_color: null, ...looks.at(-1) }));
      }
      if (request.url?.startsWith('/v1/capabilities/payment_methods') === true) {
        if (methods === undefined) return response.writeHead(503).end('{}');
        return response.end(JSON.stringify({ object: 'list', data: methods, has_more: false, url: request.url }));
      }
      requests.push({ path: request.url ?? '', body });
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...body, id: '65f0c0ffee65f0c0ffee0001', client_secret: 'gsec_test' }));
    });
  });
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const origin = await listen((request, response) => void listener(request, response));
  const shop = await demoShop({
    origin,
    apiBaseUrl: api,
    checkoutUrl: 'http://127.0.0.1:9',
    keys: { secret: 'sk_test_demo_shop_tests', publishable: 'pk_test_demo_shop_tests' },
    webhookSecrets: [WEBHOOK_SECRET],
    ...options,
  });
  listener = shop.listener;
  return { origin, requests, looks, close: () => shop.close() };
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The address of a TCP server is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

export function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends a signed event. The signature is computed here, independently of the code under test. */
export function deliver(origin: string, event: object, secret = WEBHOOK_SECRET): Promise<Response> {
  const body = JSON.stringify(event);
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return fetch(`${origin}/hooks`, { method: 'POST', headers: { 'gate-signature': `t=${t},v1=${v1}` }, body });
}
