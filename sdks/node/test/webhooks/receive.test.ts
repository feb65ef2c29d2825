import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  memoryEvents,
  webhooks,
  type ReceiveOptions,
  type WebhookEvent,
  type WebhookReceiver,
} from '../../src/index.js';

const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const OLD_SECRET = 'whsec_Hc3vM0qYt5JrWb8ZsPx1Ku7NgEa4Ld6F';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const bodyOf = (id: string, sequence = 1): string =>
  // Formatted so that JSON.stringify cannot reproduce it.
  `{ "id": "${id}", "type": "gate_session.created",\n "sequence": ${sequence}, "data": {"object":"gate_session","id":"s1", "user_reference":"Žofie"} }`;

interface Heard {
  readonly receiver: WebhookReceiver;
  readonly events: { readonly id: string; readonly isStale: boolean }[];
  readonly refusals: string[];
}

function heard(options: Partial<ReceiveOptions> = {}): Heard {
  const events: Heard['events'] = [];
  const refusals: string[] = [];
  const receiver = webhooks.receive({
    secret: [SECRET, OLD_SECRET],
    handle: ({ id }: WebhookEvent, { isStale }) => void events.push({ id, isStale }),
    onRefused: ({ reason }) => refusals.push(reason),
    ...options,
  });
  return { receiver, events, refusals };
}

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

type Mount = (receiver: WebhookReceiver) => Promise<string>;

function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`));
  });
}

const MOUNTS: Readonly<Record<string, Mount>> = {
  'Express, before its JSON parser': (receiver) =>
    listen(express().post('/hooks', receiver.express).use(express.json())),
  'Express, behind express.raw': (receiver) =>
    listen(
      express()
        .use(express.raw({ type: '*/*' }))
        .post('/hooks', receiver.express),
    ),
  'Express, behind express.text': (receiver) =>
    listen(
      express()
        .use(express.text({ type: '*/*' }))
        .post('/hooks', receiver.express),
    ),
  'node:http': (receiver) => listen(receiver.express),
  Fastify: async (receiver) => {
    const server = fastify();
    await server.register(receiver.fastify, { url: '/hooks' });
    server.post('/else', async (request) => request.body);
    closers.push(() => server.close());
    return `${await server.listen({ port: 0, host: '127.0.0.1' })}/hooks`;
  },
};

/** Delivers like the engine. */
function deliver(
  url: string,
  body: string | Buffer,
  secret: string | string[] = SECRET,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = {
    ...more,
    'content-type': 'application/json',
    'gate-signature': webhooks.generateTestHeader({ payload: body, secret }),
  };
  return fetch(url, { method: 'POST', headers, body });
}

describe.each(Object.entries(MOUNTS))('a receiver on %s', (_, mount) => {
  it('owns the raw bytes, takes the old secret and the new, and handles an event once', async () => {
    const { receiver, events } = heard();
    const url = await mount(receiver);
    expect((await deliver(url, bodyOf('e1'))).status).toBe(200);
    expect((await deliver(url, bodyOf('e2', 2), OLD_SECRET)).status).toBe(200);
    const again = await deliver(url, bodyOf('e1'));
    expect([again.status, await again.json()]).toEqual([200, { received: true, duplicate: true }]);
    expect(events.map(({ id }) => id)).toEqual(['e1', 'e2']);
  });

  it('answers 400 with the reason to what is not ours, and handles nothing', async () => {
    const { receiver, events, refusals } = heard();
    const url = await mount(receiver);
    const forged = await deliver(url, bodyOf('e1'), 'whsec_somebody_elses');
    expect([forged.status, await forged.json()]).toMatchObject([400, { error: { reason: 'no_matching_signature' } }]);
    expect((await fetch(url, { method: 'POST', body: bodyOf('e1') })).status).toBe(400);
    expect(events).toEqual([]);
    expect(refusals).toEqual(['no_matching_signature', 'no_header']);
  });

  it('passes the traceparent and tracestate of a delivery to the handler, unless they are invalid', async () => {
    const contexts: (readonly [string | null, string | null])[] = [];
    const { receiver } = heard({
      handle: (_event, { traceparent, tracestate }) => void contexts.push([traceparent, tracestate]),
    });
    const url = await mount(receiver);
    const sent = [
      { traceparent: TRACEPARENT, tracestate: 'vendor=1' },
      { traceparent: TRACEPARENT, tracestate: 'x'.repeat(513) },
      { traceparent: `${TRACEPARENT}, ${TRACEPARENT}`, tracestate: 'vendor=1' },
      { traceparent: TRACEPARENT },
      {},
    ];
    for (const [nth, headers] of sent.entries()) await deliver(url, bodyOf(`e${nth}`), SECRET, headers);
    expect(contexts).toEqual([
      [TRACEPARENT, 'vendor=1'],
      [TRACEPARENT, null],
      [null, null],
      [TRACEPARENT, null],
      [null, null],
    ]);
  });

  it('answers 413 to what no event is as large as', async () => {
    const { receiver } = heard();
    expect((await deliver(await mount(receiver), 'x'.repeat(300 * 1024))).status).toBe(413);
  });
});

it('Fastify keeps its own parsers for its other routes', async () => {
  const server = fastify();
  closers.push(() => server.close());
  await server.register(heard().receiver.fastify, { url: '/hooks' });
  server.post('/else', async (request) => request.body);
  const answered = await server.inject({ method: 'POST', url: '/else', payload: { a: 1 } });
  expect(answered.json()).toEqual({ a: 1 });
});

it('behind express.json() it says what is wrong, through the error handler of the application', async () => {
  const { receiver, events } = heard();
  const app = express().use(express.json()).post('/hooks', receiver.express);
  app.use(((error: Error, _request, response, _next) => {
    response.status(500).send(error.message);
  }) as express.ErrorRequestHandler);
  const answered = await deliver(await listen(app), bodyOf('e1'));
  expect([answered.status, await answered.text()]).toEqual([
    500,
    expect.stringMatching(/^parsed_body: .*express\.raw/),
  ]);
  expect(events).toEqual([]);
});

describe('a receiver of Fetch', () => {
  const request = (body: string, init: RequestInit = {}): Request =>
    new Request('http://shop.example/hooks', {
      method: 'POST',
      body,
      headers: { 'gate-signature': webhooks.generateTestHeader({ payload: body, secret: SECRET }) },
      ...init,
    });

  it('answers as the others do', async () => {
    const { receiver, events, refusals } = heard();
    expect((await receiver.fetch(request(bodyOf('e1')))).status).toBe(200);
    expect((await receiver.fetch(request(bodyOf('e2'), { headers: {} }))).status).toBe(400);
    expect((await receiver.fetch(request('x'.repeat(300 * 1024)))).status).toBe(413);
    expect((await receiver.fetch(new Request('http://shop.example/hooks'))).status).toBe(405);
    expect(events).toEqual([{ id: 'e1', isStale: false }]);
    expect(refusals).toEqual(['no_header']);
  });

  it('passes the traceparent and tracestate of a delivery to the handler', async () => {
    const contexts: (string | null)[] = [];
    const { receiver } = heard({
      handle: (_event, { traceparent, tracestate }) => void contexts.push(traceparent, tracestate),
    });
    const traced = request(bodyOf('e1'));
    traced.headers.set('traceparent', TRACEPARENT);
    traced.headers.set('tracestate', 'vendor=1');
    await receiver.fetch(traced);
    expect(contexts).toEqual([TRACEPARENT, 'vendor=1']);
  });

  it('says so when the body was read before', async () => {
    const read = request(bodyOf('e1'));
    await read.json();
    await expect(heard().receiver.fetch(read)).rejects.toMatchObject({ reason: 'parsed_body' });
  });
});

describe('what is handled', () => {
  const take = (receiver: WebhookReceiver, body: string): Promise<{ status: number; body: string }> =>
    receiver.receive(body, webhooks.generateTestHeader({ payload: body, secret: SECRET }));

  it('is marked stale when a later event of its session was handled before', async () => {
    const { receiver, events } = heard();
    for (const [id, sequence] of [
      ['e1', 1],
      ['e3', 3],
      ['e2', 2],
      ['e4', 4],
    ] as const)
      await take(receiver, bodyOf(id, sequence));
    expect(events.filter(({ isStale }) => isStale).map(({ id }) => id)).toEqual(['e2']);
  });

  it('comes again when handling it failed, and nothing of that is said to the sender', async () => {
    const errors: unknown[] = [];
    let attempts = 0;
    const { receiver } = heard({
      handle: () => {
        attempts += 1;
        if (attempts === 1) throw new Error('the database password is hunter2');
      },
      onError: (error) => errors.push(error),
    });
    const failed = await take(receiver, bodyOf('e1'));
    expect(failed.status).toBe(500);
    expect(failed.body).not.toContain('hunter2');
    expect(errors).toEqual([new Error('the database password is hunter2')]);
    expect((await take(receiver, bodyOf('e1'))).status).toBe(200);
    expect((await take(receiver, bodyOf('e1'))).body).toContain('duplicate');
    expect(attempts).toBe(2);
  });

  it('that failed is written to the console without an error handler', async () => {
    const written = vi.spyOn(console, 'error').mockReturnValue();
    const failure = new Error('the database is away');
    const { receiver } = heard({ handle: () => Promise.reject(failure) });
    expect((await take(receiver, bodyOf('e1'))).status).toBe(500);
    expect(written.mock.calls).toEqual([['The webhook e1 (gate_session.created) was not handled.', failure]]);
    written.mockRestore();
  });

  it('is handled once although it comes again while the first is at work', async () => {
    let finish = (): void => undefined;
    let begun = 0;
    const { receiver } = heard({
      handle: () => {
        begun += 1;
        return new Promise<void>((resolve) => (finish = resolve));
      },
    });
    const both = [take(receiver, bodyOf('e1')), take(receiver, bodyOf('e1'))];
    await expect.poll(() => begun).toBe(1);
    finish();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect(begun).toBe(1);
  });

  it('is looked up in the store that is given, which outlives the receiver', async () => {
    const store = memoryEvents();
    await take(heard({ store }).receiver, bodyOf('e5', 5));
    const after = heard({ store });
    await take(after.receiver, bodyOf('e5', 5));
    await take(after.receiver, bodyOf('e4', 4));
    expect(after.events).toEqual([{ id: 'e4', isStale: true }]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])(
    'a tolerance or a clock of %d is reported when the receiver is made',
    (value) => {
      const refusal = expect.objectContaining({ name: 'InvalidRequestError', code: 'invalid_configuration' });
      expect(() => heard({ toleranceSeconds: value })).toThrow(refusal);
      expect(() => heard({ now: () => value })).toThrow(refusal);
    },
  );

  it('is not taken by a clock that breaks later', async () => {
    let now = Date.now();
    const { receiver, events } = heard({ now: () => now });
    now = Number.NaN;
    await expect(take(receiver, bodyOf('e1'))).rejects.toMatchObject({ code: 'invalid_configuration' });
    expect(events).toEqual([]);
  });

  it('is as fresh as the clock that is given says', async () => {
    const { receiver, refusals } = heard({ now: () => Date.UTC(2030, 0, 1) });
    const payload = bodyOf('e1');
    const header = webhooks.generateTestHeader({
      payload,
      secret: SECRET,
      timestamp: Date.UTC(2030, 0, 1) / 1000 - 200,
    });
    expect((await receiver.receive(payload, header)).status).toBe(200);
    expect((await take(receiver, bodyOf('e2'))).status).toBe(400);
    expect(refusals).toEqual(['timestamp_too_old']);
  });

  it('a malformed secret is reported when the receiver is made', () => {
    expect(() => heard({ secret: [SECRET, ''] })).toThrow(expect.objectContaining({ reason: 'secret_malformed' }));
  });
});
