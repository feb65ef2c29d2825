import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { undiciWebhookSender } from '../../../src/runtime/index.js';
import { tcpReceiver } from './receiver.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** A receiver that answers each first request of a connection, and what it does at the second one. */
async function keeping(second: (socket: Socket) => void, first: (socket: Socket) => void = (one) => one.write(OK)) {
  const known = new Set<Socket>();
  let requests = 0;
  const receiver = await tcpReceiver((socket) => {
    requests += 1;
    if (known.has(socket)) return second(socket);
    known.add(socket);
    first(socket);
  });
  const sender = undiciWebhookSender({ allowPrivate: true });
  onTestFinished(() => sender.close());
  const send = async () => {
    const request = { partnerId: 'p1', url: receiver.url, headers: {}, body: '{}', timeoutMs: 10_000 };
    const { responseStatus, error } = await sender.send(request);
    return responseStatus ?? error;
  };
  /** The pool takes a connection back a moment after its answer. */
  const sendOverKept = async () => {
    expect(await send()).toBe(200);
    for (;;) {
      const before = receiver.connections();
      const answer = await send();
      if (requests > receiver.connections() || receiver.connections() > before + 1) return answer;
    }
  };
  return { send, sendOverKept, receiver, requests: () => requests };
}

describe('a connection that was kept', () => {
  it.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['closed', (socket: Socket) => socket.end()],
  ] as const)('and is %s before any answer: the request is repeated on a new one', async (_how, second) => {
    const { sendOverKept, receiver, requests } = await keeping(second);
    expect(await sendOverKept()).toBe(200);
    expect(requests()).toBe(receiver.connections() + 1);
  });

  it.each(['HTTP/1.1 2', 'HTTP/1.1 102 Processing\r\n\r\n'])(
    'and is reset after a part of an answer, %j: nothing is repeated',
    async (part) => {
      const { sendOverKept, requests, receiver } = await keeping((socket) =>
        socket.write(part, () => setImmediate(() => socket.end())),
      );
      expect(await sendOverKept()).toBe('connection_reset');
      expect(requests()).toBe(receiver.connections() + 1);
    },
  );

  it('is replaced once only: a new one that is reset too is the end of the attempt', async () => {
    let isUp = true;
    const { sendOverKept, requests, receiver } = await keeping(
      (socket) => {
        isUp = false;
        socket.resetAndDestroy();
      },
      (socket) => (isUp ? void socket.write(OK) : void socket.resetAndDestroy()),
    );
    expect(await sendOverKept()).toBe('connection_reset');
    expect(requests()).toBe(receiver.connections() + 1);
  });
});

it('a new connection that is reset is not repeated', async () => {
  const { send, requests } = await keeping(
    () => undefined,
    (socket) => socket.resetAndDestroy(),
  );
  expect(await send()).toBe('connection_reset');
  expect(requests()).toBe(1);
});
