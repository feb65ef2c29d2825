import type { Redis, RedisOptions } from 'ioredis';
import { endOnNonsense } from './end-on-nonsense.js';

/**
 * A connection of ours to where the host's goes. It comes back for ever, and takes from the host's
 * options none that breaks BullMQ: a key prefix, a late start, time limits shorter than its waits.
 */
export function ownConnection(pattern: Redis, role: keyof typeof ROLES): Redis {
  const connection = pattern.duplicate({ ...COMMON, ...ROLES[role] });
  // Its timer outlives the connection and would keep the process from ending.
  delete connection.options.socketTimeout;
  if (role === 'listening') delete connection.options.commandTimeout;
  // BullMQ stops listening when it closes, and an error without a listener goes to the console.
  connection.on('error', () => undefined);
  return guarded(connection);
}

/** What BullMQ makes of it, to wait for work, included. */
function guarded(connection: Redis): Redis {
  endOnNonsense(connection);
  const duplicate = connection.duplicate.bind(connection);
  connection.duplicate = (override) => guarded(duplicate(override));
  return connection;
}

const COMMON: RedisOptions = {
  keyPrefix: '',
  lazyConnect: false,
  monitor: false,
  stringNumbers: false,
  keepAlive: 10_000,
  retryStrategy: (times) => Math.min(50 * times, 1_000),
};

const ROLES = {
  /** A wake-up that cannot go out at once is worth nothing: no queue, no second try. */
  sending: {
    connectionName: 'gateramp-wake',
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: 10_000,
  },
  /** BullMQ waits in a command for five seconds, and wants its commands kept while there is no connection. */
  listening: { connectionName: 'gateramp-listen', maxRetriesPerRequest: null, enableOfflineQueue: true },
} as const satisfies Record<string, RedisOptions>;
