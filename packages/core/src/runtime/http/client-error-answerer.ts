import { ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestRefusalCode } from '../../domain/error-code.js';

/** An answer as the gate gives it. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Long enough to take in what a client is still sending, since closing at once would cost it the answer. */
const LINGER_MS = 2_000;

/**
 * A listener for a server's `clientError`: bytes that are no request, or none in time. Node answers those bare, before any
 * framework is asked; here `answer` says what they get. Its answer is written once and the connection ends with it.
 */
export function clientErrorAnswerer(
  answer: (code: RequestRefusalCode, clientIp: string) => Promise<Answer>,
): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  // Whatever else arrives on a broken connection is an error of its own.
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

/** Null for a connection that broke rather than a request that was wrong. */
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

/** In the middle of an answer there is no room for another. Node keeps it on the socket, under a name without a type. */
function isAnswering(socket: Duplex): boolean {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  return current instanceof ServerResponse && current.headersSent;
}

/**
 * How long a server waits for a request: its headers, and all of it. Node looks at the clocks of its connections only every
 * 30 seconds unless set otherwise, so that a limit of 15 would be one of up to 45.
 */
export const SERVER_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
} as const;
