import { Outage } from '@gateramp/core/ports';
import type { Redis } from 'ioredis';

/**
 * Connection handling shared by both Redis adapters. `@gateramp/adapters-limits-redis` imports it as the subpath
 * `@gateramp/adapters-queue-redis/connection`; it is not an interface for hosts.
 */

/** The `error` event of ioredis for a reply without a command. */
const UNREQUESTED_REPLY = /^Command queue state error/;

/** States of a client that will not answer soon. A client that is connecting for the first time is worth waiting for. */
const AWAY: ReadonlySet<string> = new Set(['close', 'reconnecting', 'end']);

/** Whether the client will not answer soon, so that callers should not wait for it. */
export function isAway(connection: Redis): boolean {
  return AWAY.has(connection.status);
}

/** The address of the connection, for messages to an operator. */
export function placeOf({ options: { host = 'localhost', port = 6379, path, sentinels, name = '' } }: Redis): string {
  if (Array.isArray(sentinels))
    return `"${name}" of the Sentinels ${sentinels.map((one) => `${one.host}:${one.port}`).join(', ')}`;
  return path ?? `${host}:${port}`;
}

/** Redis cannot be used; work continues without it. The message contains its address, without credentials. */
export class RedisOutage extends Outage {
  constructor(message: string, cause: unknown) {
    super(message, cause);
    this.name = 'RedisOutage';
  }
}

/** Wraps an error of the client in a `RedisOutage`. */
export function redisOutage(connection: Redis, cause: unknown): RedisOutage {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isClosed = /^(Stream isn't writeable|Connection is closed)/.test(reason);
  const words = isClosed ? 'the connection was closed' : reason;
  return new RedisOutage(`Redis at ${placeOf(connection)} cannot be used: ${words}`, cause);
}

/** Destroys rather than ends the stream: the peer of a silent connection does not answer. ioredis then reconnects. */
export function replaceSilent(connection: Redis): void {
  // There is none while a client asks Sentinels for the address of its first connection.
  (connection.stream as Redis['stream'] | undefined)?.destroy(new Error('The connection stopped responding.'));
}

/**
 * Closes and reopens a connection whose peer sends invalid replies. Otherwise ioredis would end the process: errors of its parser (an array
 * nested too deep, a negative length) are not caught in its socket listener. An unrequested reply is invalid too: after it, replies no
 * longer match their commands, and a parser that has lost its position may read the same reply forever.
 */
export function closeOnProtocolError(connection: Redis): void {
  connection.on('connect', () => guard(connection));
  if (connection.status === 'connect' || connection.status === 'ready') guard(connection);
  // Emitted by the parser's listener, so errors thrown here are caught below.
  connection.on('error', (error: Error) => {
    if (UNREQUESTED_REPLY.test(error.message)) throw error;
  });
}

function guard({ stream }: Redis): void {
  for (const listener of stream.listeners('data')) {
    // Node has one type for the listeners of all events.
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
