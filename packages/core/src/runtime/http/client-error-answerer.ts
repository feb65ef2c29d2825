import { ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestRefusalCode } from '../../domain/error-code.js';

/** A response of the gate. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request that was not read, as `gate.handle` does with an `unreadRequest`. */
export type RefuseUnread = (refusedAs: RequestRefusalCode, clientIp: string) => Promise<Answer>;

/** Time to receive what the client is still sending; closing at once could lose the response. */
const LINGER_MS = 2_000;

/**
 * A listener for a server's `clientError`: malformed or timed-out requests, which Node answers before any framework is called. `answer`
 * produces the response, which is written once and closes the connection.
 */
export function clientErrorAnswerer(answer: RefuseUnread): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  // Further errors on the same connection are ignored.
  const seen = new WeakSet<Duplex>();
  return (error, socket) => {
    if (seen.has(socket)) return;
    seen.add(socket);
    const code = refusalCodeOf(error);
    if (code === null) {
      socket.destroy(error);
      return;
    }
    const clientIp = socket instanceof Socket ? (socket.remoteAddress ?? '') : '';
    answer(code, clientIp).then(
      (given) => writeLast(socket, given),
      () => socket.destroy(),
    );
  };
}

/** Null if the connection broke, as opposed to an invalid request. */
function refusalCodeOf({ code = '' }: NodeJS.ErrnoException): RequestRefusalCode | null {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body_too_large';
    default:
      return code.startsWith('HPE_') ? 'malformed_request' : null;
  }
}

function writeLast(socket: Duplex, { status, headers, body }: Answer): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
  const cutOff = setTimeout(() => socket.destroy(), LINGER_MS);
  cutOff.unref();
  socket.once('close', () => clearTimeout(cutOff));
}

/** Whether a response is being written, so that no other can follow. Node stores it on the socket under an untyped name. */
function isAnswering(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  return current instanceof ServerResponse && current.headersSent;
}

/**
 * Time limits for receiving a request's headers and the complete request. By default Node checks its connections only every 30 seconds, so
 * that a limit of 15 seconds would take effect after up to 45.
 */
export const SERVER_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
} as const;
