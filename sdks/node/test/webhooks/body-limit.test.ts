import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../../../tests/services/ports.js';
import { webhooks } from '../../src/index.js';

const LIMIT_BYTES = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;
const SENT_BYTES = 64 * 1024 * 1024;
const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';

const receiver = webhooks.receive({ secret: SECRET, handle: () => expect.unreachable() });

/** A body of 64 MiB that counts the bytes read. */
function endlessBody(): { readonly stream: ReadableStream<Uint8Array>; read: number; isCancelled: boolean } {
  const body = { read: 0, isCancelled: false, stream: new ReadableStream<Uint8Array>() };
  body.stream = new ReadableStream(
    {
      pull: (controller) => {
        body.read += CHUNK_BYTES;
        controller.enqueue(new Uint8Array(CHUNK_BYTES));
        if (body.read >= SENT_BYTES) controller.close();
      },
      cancel: () => void (body.isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  return body;
}

const streamed = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request =>
  // `duplex` is required for a stream, but missing from the types of some platforms.
  new Request('http://shop.example/hooks', { method: 'POST', body, headers, duplex: 'half' });

it('a Fetch receiver stops reading an unsigned body at the limit, cancels it and answers 413', async () => {
  const body = endlessBody();
  const response = await receiver.fetch(streamed(body.stream));
  expect([response.status, await response.json()]).toMatchObject([413, { error: { reason: 'body_too_large' } }]);
  expect(body.read).toBeLessThanOrEqual(LIMIT_BYTES + 2 * CHUNK_BYTES);
  expect(body.isCancelled).toBe(true);
});

it('a Fetch receiver reads nothing of a body whose stated length is above the limit', async () => {
  const body = endlessBody();
  expect((await receiver.fetch(streamed(body.stream, { 'content-length': '600000000' }))).status).toBe(413);
  expect(body.read).toBeLessThanOrEqual(CHUNK_BYTES);
});

it('a Fetch receiver takes a body that comes in many small chunks', async () => {
  const sent = new TextEncoder().encode(`{"id":"e1","type":"webhook.test","data":null,"pad":"${'x'.repeat(20_000)}"}`);
  const handled: string[] = [];
  const taking = webhooks.receive({ secret: SECRET, handle: ({ id }) => void handled.push(id) });
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at < sent.length) controller.enqueue(sent.slice(at, (at += 7)));
      else controller.close();
    },
  });
  const header = webhooks.generateTestHeader({ payload: sent, secret: SECRET });
  expect((await taking.fetch(streamed(stream, { 'gate-signature': header }))).status).toBe(200);
  expect(handled).toEqual(['e1']);
});

it('a Node receiver stops reading a chunked body at the limit and answers 413', async () => {
  const server: Server = createServer(receiver.express);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  let bytesRead = 0;
  server.on('connection', (socket) => socket.on('close', () => (bytesRead = socket.bytesRead)));

  const client = connect(portOf(server), '127.0.0.1');
  const closed = new Promise((resolve) => client.on('close', resolve));
  client.on('error', () => undefined); // the server closes the connection on a sender that goes on
  let answered = '';
  client.setEncoding('utf8').on('data', (text: string) => (answered += text));
  client.write('POST /hooks HTTP/1.1\r\nHost: shop\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = `${CHUNK_BYTES.toString(16)}\r\n${'x'.repeat(CHUNK_BYTES)}\r\n`;
  for (let sent = 0; sent < SENT_BYTES && client.writable; sent += CHUNK_BYTES)
    if (!client.write(chunk)) await Promise.race([new Promise((resolve) => client.once('drain', resolve)), closed]);
  await closed;
  expect(answered).toMatch(/^HTTP\/1\.1 413 /);
  await expect.poll(() => bytesRead).toBeGreaterThan(LIMIT_BYTES);
  expect(bytesRead).toBeLessThan(8 * LIMIT_BYTES);
});

it.each([new Uint8Array(LIMIT_BYTES + 1), 'x'.repeat(LIMIT_BYTES + 1)])(
  'receive answers 413 to a body above the limit, without computing a signature over it',
  async (payload) => {
    expect((await receiver.receive(payload, 't=1,v1=00')).status).toBe(413);
  },
);
