import type { IncomingMessage } from 'node:http';
import { NO_BODY, type HttpBody } from '@gateramp/core/http';

/** Long enough for a slow client to finish and read its answer, too short to be worth holding open. */
const DISCARD_MS = 10_000;

const TOO_LARGE: HttpBody = { kind: 'too_large' };

/** Nobody is there to be answered. */
export class ClientLeft extends Error {
  constructor() {
    super('The client left before its request was complete.');
  }
}

/**
 * Reads at most `bytesMax` and buffers no more. A longer body is known as soon as it is announced
 * or has come, so a client that never finishes still gets its answer. Rejects with `ClientLeft`.
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<HttpBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) {
    discard(request);
    return Promise.resolve(TOO_LARGE);
  }
  if (announced === 0 && request.headers['transfer-encoding'] === undefined) return Promise.resolve(NO_BODY);
  return collect(request, bytesMax);
}

function collect(request: IncomingMessage, bytesMax: number): Promise<HttpBody> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      stop();
      discard(request);
      resolve(TOO_LARGE);
    };
    const onEnd = (): void => {
      stop();
      resolve({ kind: 'bytes', bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size) });
    };
    const onLeave = (): void => {
      stop();
      reject(new ClientLeft());
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onLeave);
    };
    if (request.destroyed) onLeave();
    // The error listener stays: an error that comes late must find one, or it ends the process.
    else request.on('data', onData).on('end', onEnd).on('close', onLeave).on('error', onLeave);
  });
}

/**
 * Takes in the rest unread: closing at once would reset the connection, and a client that is still
 * sending would lose the answer. One that does not come to an end is cut off.
 */
function discard(request: IncomingMessage): void {
  const cutOff = setTimeout(() => request.destroy(), DISCARD_MS);
  cutOff.unref();
  request.once('close', () => clearTimeout(cutOff)).on('error', ignore).resume();
}

function ignore(): void {
  // A client that leaves while its body is discarded concerns nobody.
}
