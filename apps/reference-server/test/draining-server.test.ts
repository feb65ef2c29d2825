import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SERVER_LIMITS } from '@gateramp/core/runtime';
import { DrainingServer } from '../src/http/draining-server.js';

/** Short enough to wait for; other tests check the production limits. */
const LIMITS = { headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 20 };
/** Checked as often, and long enough for a machine that is paused between two lines of a test. */
const GENEROUS = { ...LIMITS, headersTimeout: 120_000, requestTimeout: 240_000 };

const opened: (DrainingServer | Socket)[] = [];

afterEach(() => {
  for (const one of opened.splice(0))
    if (one instanceof DrainingServer) one.cut();
    else one.destroy();
});

async function connection(limits: typeof LIMITS | undefined): Promise<Socket> {
  const server = new DrainingServer(limits);
  server.serve((request, response) => void request.resume().on('end', () => response.end('done')));
  await server.bind('127.0.0.1', 0);
  const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
  opened.push(server, socket);
  await once(socket, 'connect');
  return socket;
}

/** Everything that the server sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: string) => (text += part));
  await once(socket, 'close');
  return text;
}

describe('a client that is slow', () => {
  it.each([
    ['with its headers', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    ['with its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345'],
    ['and says nothing at all', ''],
  ])('%s is answered 408 in the envelope and cut off', async (_, bytes) => {
    const socket = await connection(LIMITS);
    socket.write(bytes);
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const envelope: unknown = JSON.parse(body);
    expect(envelope).toMatchObject({ type: 'invalid_request', code: 'request_timeout', statusCode: 408 });
    expect(head.toLowerCase()).toContain('connection: close');
  });

  it('that finishes in time is served', async () => {
    const socket = await connection(GENEROUS);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n12345');
    // The server checks the connection between the two halves of the body.
    await elapse(3 * GENEROUS.connectionsCheckingInterval);
    socket.write('67890');
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('has 15 s for its headers and 30 s for all, looked at every second, as docs/operating.md says', () => {
    expect(SERVER_LIMITS).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
    });
  });
});

describe('a server that stops', () => {
  it('refuses what still comes on open connections as its host refuses, and answers what was running', async () => {
    const server = new DrainingServer();
    let finish = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      server.serve(
        (_request, response) => {
          finish = () => void response.end('done');
          resolve();
        },
        (fault) => Promise.resolve({ status: 503, headers: { 'x-refused': fault }, body: '{}' }),
      );
    });
    await server.bind('127.0.0.1', 0);
    const [first, second] = [0, 1].map(() => connect(server.port, '127.0.0.1').setEncoding('utf8'));
    if (first === undefined || second === undefined) throw new Error('Two were opened.');
    opened.push(server, first, second);
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);
    // A partial request keeps its connection from being closed as idle. It arrives before the other
    // one, and is read by the end of that turn.
    second.write('GET / HTTP/1.1\r\nHost: a\r\n');
    first.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await running;
    await new Promise<void>((resolve) => setImmediate(resolve));
    const drained = server.drain();
    const late = untilClosed(second);
    second.write('\r\n');
    expect(await late).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n(.*\r\n)*x-refused: service_unavailable\r\n/);
    const answered = untilClosed(first);
    finish();
    expect(await answered).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await drained;
  });
});

describe('bytes that are no request', () => {
  it('are answered in the envelope where no gate answers', async () => {
    const socket = await connection(undefined);
    socket.write('NO SUCH THING\r\n\r\n');
    const text = await untilClosed(socket);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'malformed_request', statusCode: 400 });
  });
});
