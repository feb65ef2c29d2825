import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { JoinedBytes } from '../../domain/joined-bytes.js';

/** Long enough for a slow client to finish and read its response, too short to be worth an open connection. */
const DISCARD_MS = 10_000;

/** The bytes, or the fact that there were too many; a value of `HttpRequest.body`. */
export type BodyRead = { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'too_large' };

const TOO_LARGE: BodyRead = { kind: 'too_large' };

const NOTHING: BodyRead = { kind: 'bytes', bytes: new Uint8Array(0) };

/** The client disconnected, so no response can be sent. */
export class ClientLeft extends Error {
  /** Keeps the error out of the host's error log. */
  readonly statusCode = 400;

  constructor() {
    super('The client left before its request was complete.');
  }
}

/**
 * Reads at most `bytesMax` bytes and buffers no more. A longer body is detected as soon as it is announced or received, so that a client
 * that never finishes still gets its response. Rejects with `ClientLeft`. The payload is the request itself unless a `preParsing` hook of
 * the host has replaced it.
 */
export function readBody(
  request: IncomingMessage,
  payload: Readable,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<BodyRead> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    discard(request, payload);
    return Promise.resolve(TOO_LARGE);
  }
  // Without these headers a request has no body, whatever its method.
  if (!carriesBody(request)) return Promise.resolve(NOTHING);
  return collect(request, payload, { bytesMax, signal });
}

/** A file body, read only if the gate requests it. Node discards an unread body once the response is sent. */
export function unreadBody(request: IncomingMessage, payload: Readable) {
  return {
    kind: 'unread' as const,
    read: async (bytesMax: number, signal?: AbortSignal): Promise<BodyRead | { readonly kind: 'aborted' }> => {
      try {
        return await readBody(request, payload, bytesMax, signal);
      } catch {
        // The client disconnected, the connection broke, or the signal aborted: there is no file.
        return { kind: 'aborted' };
      }
    },
  };
}

function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

interface Bounds {
  readonly bytesMax: number;
  readonly signal: AbortSignal | undefined;
}

function collect(request: IncomingMessage, payload: Readable, { bytesMax, signal }: Bounds): Promise<BodyRead> {
  return new Promise((resolve, reject) => {
    // A replaced payload may have another length than announced.
    const announced = payload === request ? Number(request.headers['content-length'] ?? bytesMax) : bytesMax;
    const body = new JoinedBytes(announced);
    const onData = (chunk: Uint8Array): void => {
      if (body.add(chunk)) return;
      stop();
      discard(request, payload);
      resolve(TOO_LARGE);
    };
    const onEnd = (): void => {
      stop();
      resolve({ kind: 'bytes', bytes: body.bytes() });
    };
    const onAbort = (): void => {
      stop();
      discard(request, payload);
      reject(new Error('The body is no longer waited for.'));
    };
    const onClose = (): void => {
      stop();
      reject(new ClientLeft());
    };
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    if (payload.destroyed) onClose();
    // The error listener stays: without one, a late error would end the process.
    else payload.on('data', onData).on('end', onEnd).on('close', onClose).on('error', reject);
    signal?.addEventListener('abort', onAbort);
  });
}

/**
 * Discards the rest of the body. Closing at once would reset the connection, and a client that is still sending would lose the response. A
 * client that does not finish is disconnected.
 */
function discard(request: IncomingMessage, payload: Readable): void {
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff));
  payload.on('error', ignore).resume();
}

function ignore(): void {
  // A client that disconnects now needs no response.
}
