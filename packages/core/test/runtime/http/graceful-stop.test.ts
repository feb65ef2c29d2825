import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gracefulStop, type GracefulStopOptions } from '@gateramp/core/runtime';
import { portOf } from '../../../../../tests/services/ports.js';
import { sending as sendingTo } from '../../../../../tests/services/raw-connection.js';

const REFUSED = '{"code":"service_unavailable"}';

/** More than the connection holds, so that closing it unread would lose the answer. */
const LONG_BODY = 'x'.repeat(16 * 1024 * 1024);

/** Short, because these tests wait for it to pass. */
const SHORT_MS = 300;

type Options = Partial<GracefulStopOptions>;

/** A server, and what its stop has done so far. */
async function stoppable(handler: RequestListener, options: Options = {}) {
  const server = createServer({ keepAliveTimeout: 0 }, handler);
  const done: string[] = [];
  const note = (step: string) => async () => void done.push(step);
  const stop = gracefulStop({
    servers: [server],
    gate: {
      drain: note('gate.drain'),
      stop: note('gate.stop'),
      handle: async (_mode, { refusedAs }) => ({ status: 503, headers: { 'x-refused': refusedAs }, body: REFUSED }),
    },
    mode: 'test',
    close: [note('close')],
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, stop, done, note };
}

const sending = (server: Server, bytes: string) => sendingTo(portOf(server), bytes);

const get = (path = '/', headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

/** Ends once the server has read what has been sent on another connection by now. */
const turnEnded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A handler that answers when told to. */
function held(end = (response: ServerResponse): void => void response.end('done')) {
  const answers: (() => void)[] = [];
  let whenHeld = (): void => undefined;
  const handler: RequestListener = (_request, response) => {
    answers.push(() => end(response));
    whenHeld();
  };
  const holds = (count: number): Promise<void> =>
    new Promise((resolve) => {
      whenHeld = () => answers.length === count && resolve();
      whenHeld();
    });
  return { handler, holds, answer: () => answers.forEach((end) => end()) };
}

describe('gracefulStop', () => {
  it('answers running requests, closes idle connections at once, then stops the gate, then closes the clients', async () => {
    const { handler, holds, answer } = held();
    const { server, stop, done } = await stoppable((request, response) =>
      request.url === '/idle' ? response.end('at once') : handler(request, response),
    );
    const idle = await sending(server, get('/idle'));
    await once(idle.socket, 'data');
    const running = await sending(server, get());
    await holds(1);
    const stopped = stop();
    expect(await idle.text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(done).toEqual(['gate.drain']);
    answer();
    await stopped;
    expect(await running.text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n(.*\r\n)*\r\n.*done/i);
    expect(done).toEqual(['gate.drain', 'gate.stop', 'close']);
  });

  it('refuses later requests on open connections through the gate, also one whose long body is still on its way', async () => {
    const { handler, holds, answer } = held();
    const { server, stop } = await stoppable(handler);
    // The server cannot close these as idle: each has sent the beginning of a request, before the one that is held.
    const late = await sending(server, 'GET / HTTP/1.1\r\nHost: a\r\n');
    const slow = await sending(server, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LONG_BODY.length}\r\n`);
    const running = await sending(server, get());
    await holds(1);
    await turnEnded();
    const stopped = stop();
    late.socket.write('\r\n');
    slow.socket.write(`\r\n${LONG_BODY}`);
    expect(await late.text).toMatch(/^HTTP\/1\.1 503 .*\r\n(.*\r\n)*x-refused: service_unavailable\r\n/);
    const refusal = await slow.text;
    expect(refusal.slice(refusal.indexOf('\r\n\r\n') + 4)).toBe(REFUSED);
    answer();
    await stopped;
    expect(await running.text).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('answers every pipelined request that it has received', async () => {
    const { handler, holds, answer } = held();
    const { server, stop } = await stoppable(handler);
    const { text } = await sending(server, get('/1') + get('/2'));
    await holds(2);
    const stopped = stop();
    answer();
    await stopped;
    expect((await text).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it.each([
    [
      'with a header of its own',
      '',
      (response) => response.setHeader('content-type', 'text/event-stream; charset=utf-8'),
    ],
    ['of an event source', 'Accept: text/event-stream\r\n', () => undefined],
  ] satisfies [string, string, (response: ServerResponse) => void][])(
    'is not held up by an event stream %s, which it ends with its connection',
    async (_, headers, prepare) => {
      const { handler, holds, answer } = held();
      const { server, stop } = await stoppable((request, response) => {
        if (request.url === '/held') return handler(request, response);
        prepare(response);
        response.writeHead(200, { 'cache-control': 'no-store' }).write('data: 1\n\n');
      });
      const stream = await sending(server, get('/', headers));
      await once(stream.socket, 'data');
      await sending(server, get('/held'));
      await holds(1);
      const stopped = stop();
      // The last chunk: the stream has ended, and was not cut.
      expect(await stream.text).toMatch(/\r\n0\r\n\r\n$/);
      answer();
      await stopped;
    },
  );

  it('ends a stream that begins while it stops', async () => {
    const { handler, holds, answer } = held((response) => void response.writeHead(200).write('data: 1\n\n'));
    const { server, stop } = await stoppable(handler);
    const stream = await sending(server, get('/', 'Accept: text/event-stream\r\n'));
    await holds(1);
    const stopped = stop();
    answer();
    await stopped;
    expect(await stream.text).toMatch(/\r\n0\r\n\r\n$/);
  });

  it('cuts a request that never ends, and reports it after everything has been closed', async () => {
    const { handler, holds } = held();
    const { server, stop, done } = await stoppable(handler, { limitMs: SHORT_MS });
    const { text } = await sending(server, get());
    await holds(1);
    const failed = await stop().catch((error: unknown) => error);
    expect(await text).toBe('');
    expect(failed).toBeInstanceOf(AggregateError);
    expect(failed).toMatchObject({ errors: [{ message: 'Requests cut while running: 1.' }] });
    expect(done).toEqual(['gate.drain', 'gate.stop', 'close']);
  });

  it('closes the rest if one client fails and another never ends, and reports both', async () => {
    const closed: string[] = [];
    const broken = new Error('Connection lost.');
    const { stop } = await stoppable(() => undefined, {
      limitMs: SHORT_MS,
      close: [
        () => {
          throw broken;
        },
        () => Promise.reject(broken),
        () => new Promise(() => undefined),
        () => void closed.push('last'),
      ],
    });
    const failed = await stop().catch((error: unknown) => error);
    expect(failed).toMatchObject({ errors: [broken, broken, { message: 'close[2] did not end in time.' }] });
    expect(closed).toEqual(['last']);
  });

  it('stops the gate within the limit while an attempt never ends, and reports what failed', async () => {
    const closed: string[] = [];
    const { stop } = await stoppable(() => undefined, {
      limitMs: SHORT_MS,
      gate: {
        drain: () => new Promise(() => undefined),
        stop: () => Promise.reject(new Error('No scheduler.')),
        handle: () => Promise.reject(new Error('Not called.')),
      },
      close: [() => void closed.push('pool')],
    });
    const failed = await stop().catch((error: unknown) => error);
    const attempts = 'Attempts were still running; they are repeated when their leases end.';
    expect(failed).toMatchObject({ errors: [{ message: attempts }, { message: 'No scheduler.' }] });
    expect(closed).toEqual(['pool']);
  });

  it('stops once, however often it is called', async () => {
    const { stop, done } = await stoppable(() => undefined);
    const first = stop();
    expect(stop()).toBe(first);
    await first;
    await stop();
    expect(done).toEqual(['gate.drain', 'gate.stop', 'close']);
  });
});
