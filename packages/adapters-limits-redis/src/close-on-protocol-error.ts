import type { Redis } from 'ioredis';

/** What ioredis says, as an `error` event, of an answer to no question. */
const UNASKED = /^Command queue state error/;

/**
 * Closes and reopens a connection whose other side sends invalid replies, where ioredis would end the process: what its parser throws (an
 * array nested too deep, a negative length) is not caught on the way out of the socket. An unrequested reply is invalid too:
 * from then on no answer belongs to its question, and a parser that has lost its place may read the same one forever.
 *
 * It stands in both Redis adapters, word for word: they are installed apart, and a package of its own would be one more
 * thing to publish and to keep in step for thirty lines. A test holds the two copies equal.
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
