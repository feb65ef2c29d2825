import type { Redis } from 'ioredis';

/**
 * What both Redis adapters need of a connection. `@gateramp/adapters-limits-redis` imports it as the subpath
 * `@gateramp/adapters-queue-redis/connection`; it is no interface for hosts.
 */

/** What ioredis emits as an `error` event when a reply arrives without a command. */
const UNASKED = /^Command queue state error/;

/** States of a client that will not answer soon. One that is only just connecting is worth the wait. */
const AWAY: ReadonlySet<string> = new Set(['close', 'reconnecting', 'end']);

/** Whether the client will not answer soon, so that a caller does without it. */
export function isAway(connection: Redis): boolean {
  return AWAY.has(connection.status);
}

/** Where the connection leads, for messages to an operator. */
export function placeOf({ options: { host = 'localhost', port = 6379, path } }: Redis): string {
  return path ?? `${host}:${port}`;
}

/** Destroyed rather than ended: the other side of a silent connection does not answer. ioredis then opens a new one. */
export function replaceSilent(connection: Redis): void {
  connection.stream.destroy(new Error('The connection stopped responding.'));
}

/**
 * Closes and reopens a connection whose other side sends invalid replies, where ioredis would end the process: what its parser throws (an
 * array nested too deep, a negative length) is not caught on the way out of the socket. An unrequested reply is invalid too:
 * from then on no reply belongs to its command, and a parser that has lost its place may read the same one forever.
 */
export function closeOnProtocolError(connection: Redis): void {
  connection.on('connect', () => guard(connection));
  if (connection.status === 'connect' || connection.status === 'ready') guard(connection);
  // Emitted by the parser's listener, so what is thrown here is caught below.
  connection.on('error', (error: Error) => {
    if (UNASKED.test(error.message)) throw error;
  });
}

function guard({ stream }: Redis): void {
  for (const listener of stream.listeners('data')) {
    // Node types the listeners of every event alike.
    stream.removeListener('data', listener as (chunk: Buffer) => void);
    stream.on('data', (chunk: Buffer) => {
      try {
        listener.call(stream, chunk);
      } catch (error) {
        stream.destroy(new Error('Redis sent an invalid reply.', { cause: error }));
      }
    });
  }
}
