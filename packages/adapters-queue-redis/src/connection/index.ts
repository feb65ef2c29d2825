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
 * Closes and reopens a connection whose peer sends invalid replies. Otherwise ioredis would end the process. Version 5 does not catch
 * errors of its parser (an array nested too deep, a negative length) in its socket listener; version 6 throws again, uncaught, what fails
 * while it takes a reply. An unrequested reply is invalid too: after it, replies no longer match their commands, and a parser that has lost
 * its position may read the same reply forever.
 */
export function closeOnProtocolError(connection: Redis): void {
  // Only the options of ioredis 6 choose a version of the protocol.
  const guard = 'protocol' in connection.options ? guardReplies : guardParser;
  connection.on('connect', () => guard(connection));
  if (connection.status === 'connect' || connection.status === 'ready') guard(connection);
  if (guard === guardReplies) return;
  // Emitted by the parser's listener, so errors thrown here are caught around it.
  connection.on('error', (error: Error) => {
    if (UNREQUESTED_REPLY.test(error.message)) throw error;
  });
}

function guardParser(connection: Redis): void {
  aroundData(connection, (read) => read());
}

type CommandItem = NonNullable<ReturnType<Redis['commandQueue']['shift']>>;

/** Takes the place of the command of an unrequested reply: without one, ioredis 6 fails to describe a reply that is null. */
const NO_COMMAND = { command: { name: '', args: [], resolve: () => undefined, reject: () => undefined } };

function guardReplies(connection: Redis): void {
  let isReading = false;
  aroundData(connection, (read) => {
    isReading = true;
    try {
      read();
    } finally {
      isReading = false;
    }
  });
  // ioredis makes a new queue for each connection, of the commands that wait for a reply.
  const queue = connection.commandQueue;
  const shift = queue.shift.bind(queue);
  queue.shift = () => {
    const waiting = shift();
    if (waiting !== undefined || !isReading) return waiting;
    closeInvalid(connection, new Error('Redis sent a reply without a command.'));
    // It has the members that ioredis uses of a command that gets a reply.
    return NO_COMMAND as unknown as CommandItem;
  };
  // Called by the parser. Commands in progress then end like those of any closed connection.
  connection.recoverFromFatalError = (_, error) => closeInvalid(connection, error);
}

/** Closes the connection if what reads the received data throws. */
function aroundData(connection: Redis, around: (read: () => void) => void): void {
  const { stream } = connection;
  for (const listener of stream.listeners('data')) {
    // Node has one type for the listeners of all events.
    stream.removeListener('data', listener as (chunk: Buffer) => void);
    stream.on('data', (chunk: Buffer) => {
      try {
        around(() => void listener.call(stream, chunk));
      } catch (error) {
        closeInvalid(connection, error);
      }
    });
  }
}

function closeInvalid({ stream }: Redis, cause: unknown): void {
  stream.destroy(new Error('Redis sent an invalid reply.', { cause }));
}
