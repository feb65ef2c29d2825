import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { unreadBody } from '../../../src/runtime/http/read-body.js';

it('stops reading a file that is no longer needed, and its client still gets the response', async () => {
  const reads: string[] = [];
  const server = createServer((incoming, answer) => {
    const waiting = new AbortController();
    const reading = unreadBody(incoming, incoming).read(1_000, waiting.signal);
    waiting.abort();
    void reading.then(({ kind }) => {
      reads.push(kind);
      answer.writeHead(408).end();
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 100 } });
  sent.write('some');
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  expect([reads, answer?.statusCode]).toEqual([['aborted'], 408]);
  sent.end('x'.repeat(96));
  answer?.resume();
});
