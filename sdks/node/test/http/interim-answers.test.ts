import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { APIConnectionError, Gate, type AttemptResult } from '../../src/index.js';

const BODY = JSON.stringify({ data: [{ id: 's1' }], has_more: false, url: '/' });
const WHOLE = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: req_1\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nX-Request-Id: interim\r\n\r\n';

/** The result of a list on a server that sends these bytes, and the results of its attempts. */
async function listFrom(bytes: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const attempts: AttemptResult[] = [];
  const gate = new Gate('sk_test_a', {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    maxRetries: 0,
    onResponse: (result) => void attempts.push(result),
  });
  return { answer: gate.gateSessions.list().withResponse(), attempts };
}

it.each([
  ['103 Early Hints', HINTS],
  ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ['an unknown 199', 'HTTP/1.1 199 Later\r\n\r\n'],
  ['several', `HTTP/1.1 102 Processing\r\n\r\n${HINTS}${HINTS}`],
])('an interim answer is skipped: %s', async (_, interim) => {
  const { answer, attempts } = await listFrom(interim + WHOLE);
  const { data, response, requestId } = await answer;
  expect([response.status, requestId, data.data]).toEqual([200, 'req_1', [{ id: 's1' }]]);
  expect(attempts).toMatchObject([{ status: 200, requestId: 'req_1', attempt: 1 }]);
});

it('an interim answer alone is none', async () => {
  const { answer, attempts } = await listFrom(HINTS);
  await expect(answer).rejects.toBeInstanceOf(APIConnectionError);
  expect(attempts).toMatchObject([{ status: null, requestId: null, errorCode: 'connection_error' }]);
});
