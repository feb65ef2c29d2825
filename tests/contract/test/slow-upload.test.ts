import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { expressSubject } from '../../../packages/adapters-http-express/test/express-subject.js';
import { fastifySubject } from '../../../packages/adapters-http-fastify/test/fastify-subject.js';
import { attemptBody, CARDS } from '../../../packages/core/test/engine/checkout.js';

/** The time limit of a file, and the number of concurrent uploads of a partner (`docs/spec-notes.md`, documents). */
const LIMIT_MS = 25_000;
const PLACES = 8;

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1);
const WIDGET = 'https://sandbox-widget.example';
const SIDES = ['front', 'back', 'selfie'];

interface SlowResult {
  readonly status: number;
  readonly readableBy: string | null;
  readonly code: unknown;
}

/** Sends the first bytes of a file and nothing more. */
type SendSlowly = (path: string, headers: Readonly<Record<string, string>>) => Promise<SlowResult>;

async function overSocket(t: TestGate, subject: ReturnType<typeof expressSubject>): Promise<SendSlowly> {
  const server = await subject.mount(t.gate, 'test');
  onTestFinished(() => server.close());
  return async (path, headers) => {
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const lines = Object.entries({ host: 'gate.example', 'content-length': '1000', ...headers });
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    socket.write(PNG);
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.includes('}')) break;
    }
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const readableBy = /^access-control-allow-origin: (.*)$/im.exec(head)?.[1] ?? null;
    const code = /"code":"(\w+)"/.exec(body)?.[1];
    return { status: Number(head.split(' ')[1]), readableBy, code };
  };
}

async function overFetch(t: TestGate): Promise<SendSlowly> {
  return async (path, headers) => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(PNG) });
    const request = new Request(`http://gate.example${path}`, { method: 'POST', headers, body, duplex: 'half' });
    const response = await t.gate.fetch(request, { mode: 'test', clientIp: '127.0.0.1' });
    const { code } = (await response.json()) as { readonly code: unknown };
    return { status: response.status, readableBy: response.headers.get('access-control-allow-origin'), code };
  };
}

// Sockets use their own timers.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  { on: 'Express', open: (t: TestGate) => overSocket(t, expressSubject()) },
  { on: 'Fastify', open: (t: TestGate) => overSocket(t, fastifySubject()) },
  { on: 'the Fetch bridge', open: overFetch },
])('a file that does not come in time is a 408 that its page can read, and frees its place ($on)', async ({ open }) => {
  const t = await createTestGate();
  const sendSlowly = await open(t);
  const waiting = await Promise.all(Array.from({ length: 3 }, () => askedForDocuments(t)));
  const paths = waiting.flatMap(({ path, headers }) => SIDES.map((side) => ({ path: `${path}/${side}`, headers })));
  const last = paths[PLACES];
  if (last === undefined) throw new Error('There are too few sides.');
  const upload = () => t.request('POST', last.path, { headers: last.headers, body: PNG });

  const slow = paths.slice(0, PLACES).map(({ path, headers }) => sendSlowly(path, headers));
  // Not `expect.poll`, which advances the timers. What is no image gives its place back at once, for one of the slow files.
  const noImage = () => t.request('POST', last.path, { headers: last.headers, body: Uint8Array.of(1) });
  while ((await noImage()).status !== 503) await setImmediate();
  expect((await upload()).status).toBe(503);
  vi.advanceTimersByTime(LIMIT_MS - 1_000);
  expect((await upload()).status).toBe(503);

  vi.advanceTimersByTime(1_000);
  const refused = { status: 408, readableBy: WIDGET, code: 'request_timeout' };
  expect(await Promise.all(slow)).toEqual(slow.map(() => refused));
  expect((await upload()).status).toBe(200);
});

/** An attempt that waits for documents, in an iframe of the widget. */
async function askedForDocuments(t: TestGate) {
  const session = await t.createSession({ amount: '17.00' });
  const token = await t.embed(session);
  const begun = await t.request('POST', '/v1/embed/intents', {
    headers: { 'x-embed-token': token },
    body: attemptBody('17.00', CARDS.pays),
  });
  const headers = { 'x-embed-token': token, origin: WIDGET, 'content-type': 'image/png' };
  return { path: `/v1/embed/intents/${String(begun.json['id'])}/documents`, headers };
}
