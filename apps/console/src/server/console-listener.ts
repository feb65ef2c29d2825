import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ConsoleOptions, consoleHandler } from './console-handler.js';

/** The options of `consoleListener`. */
export interface ConsoleListenerOptions extends ConsoleOptions {
  /** The client's address, such as behind a proxy; by default that of the connection. */
  readonly clientIpOf?: (message: IncomingMessage) => string;
}

/** The handler for `node:http`, and so for Express and every framework that uses its requests. */
export function consoleListener(options: ConsoleListenerOptions): RequestListener {
  const handle = consoleHandler(options);
  const { clientIpOf = ({ socket }) => socket.remoteAddress ?? '' } = options;
  return (message, response) => {
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    requestOf(message, options.origin, closed.signal)
      .then((request) => handle(request, clientIpOf(message)))
      .then((answer) => write(response, answer))
      .catch((error: unknown) => {
        options.onError?.(error, '');
        if (!response.headersSent) response.writeHead(400, { 'cache-control': 'no-store' });
        response.end();
      });
  };
}

/** Enough for every body of the API, which refuses what is longer than 64 KiB. */
const BYTES_MAX = 131_072;

async function requestOf(message: IncomingMessage, origin: string, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/' } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers))
    if (!name.startsWith(':') && value !== undefined)
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  // A request target that is not a path, such as `*`, becomes one without a file.
  const target = new URL(url.startsWith('/') ? `/.${url}` : '/*', origin);
  const isRead = method === 'GET' || method === 'HEAD';
  return new Request(target, { method, headers, signal, ...(isRead ? {} : { body: await bodyOf(message) }) });
}

/** A framework may have read the body already, and keeps it parsed. */
async function bodyOf(message: IncomingMessage): Promise<string> {
  if ('body' in message && message.body !== undefined) return JSON.stringify(message.body);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= BYTES_MAX) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function write(response: ServerResponse, answer: Response): Promise<void> {
  const cookies = answer.headers.getSetCookie();
  const headers = { ...Object.fromEntries(answer.headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) };
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Applies backpressure: if the client does not read, the body waits and bounds its own buffer.
  if (answer.body !== null)
    for await (const chunk of answer.body) if (!response.write(chunk) && !(await drained(response))) return;
  response.end();
}

/** Resolves to false if the connection was closed before it drained. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve(!response.destroyed);
    };
    response.on('drain', settle).on('close', settle);
    if (response.destroyed) settle();
  });
}
