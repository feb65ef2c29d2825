import type { Redis, RedisOptions } from 'ioredis';
import { closeOnProtocolError } from './connection/index.js';

/**
 * A connection of ours to where the host's goes. It comes back for ever, and takes from the host's
 * options none that breaks them: a key prefix, a late start, time limits shorter than its waits.
 */
export function ownConnection(pattern: Redis, role: keyof typeof ROLES): Redis {
  const connection = pattern.duplicate({ ...COMMON, ...ROLES[role] });
  // Its timer outlives the connection and would keep the process from ending.
  delete connection.options.socketTimeout;
  if (role === 'listening') delete connection.options.commandTimeout;
  closeOnProtocolError(connection);
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
  /** It waits in a command for seconds, which goes out again when the connection comes back. */
  listening: { connectionName: 'gateramp-listen', maxRetriesPerRequest: null, enableOfflineQueue: true },
} as const satisfies Record<string, RedisOptions>;
