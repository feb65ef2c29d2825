import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { JoinedBytes } from '../../domain/joined-bytes.js';

/** Long enough for a slow client to finish and read its answer, too short to be worth holding open. */
const DISCARD_MS = 10_000;

/** Bytes as they came, or that there were too many: what `HttpRequest.body` takes. */
export type BodyRead = { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'too_large' };

const TOO_LARGE: BodyRead = { kind: 'too_large' };

const NOTHING: BodyRead = { kind: 'bytes', bytes: new Uint8Array(0) };

/** The client is gone: there is no one to answer. */
export class ClientLeft extends Error {
  /** Keeps it out of the host's error log. */
  readonly statusCode = 400;

  constructor() {
    super('The client left before its request was complete.');
  }
}

/**
 * Reads at most `bytesMax` and buffers no more. A longer body is known as soon as it is announced
 * or has come, so a client that never finishes still gets its answer. Rejects with `ClientLeft`.
 * The payload is the request itself unless a `preParsing` hook of the host's has put another in its place.
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
  // Such a request has no body to wait for, whatever its method.
  if (!carriesBody(request)) return Promise.resolve(NOTHING);
  return collect(request, payload, { bytesMax, signal });
}

/** A file that is read only if the gate asks for it. What is never asked for Node takes in unread once the answer is sent. */
export function unreadBody(request: IncomingMessage, payload: Readable) {
  return {
    kind: 'unread' as const,
    read: async (bytesMax: number, signal?: AbortSignal): Promise<BodyRead | { readonly kind: 'aborted' }> => {
      try {
        return await readBody(request, payload, bytesMax, signal);
      } catch {
        // It left, the connection broke, or nothing waits for it any more: there is no file.
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
    // Another payload in the request's place need not have the announced length.
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
    // The error listener stays: an error that comes late must find one, or it ends the process.
    else payload.on('data', onData).on('end', onEnd).on('close', onClose).on('error', reject);
    signal?.addEventListener('abort', onAbort);
  });
}

/**
 * Takes in the rest unread: closing at once would reset the connection, and a client that is still
 * sending would lose the answer. One that does not come to an end is cut off.
 */
function discard(request: IncomingMessage, payload: Readable): void {
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff));
  payload.on('error', ignore).resume();
}

function ignore(): void {
  // A client that leaves while its body is discarded needs no answer.
}
