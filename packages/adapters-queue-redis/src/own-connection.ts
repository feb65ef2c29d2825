import type { Redis, RedisOptions } from 'ioredis';
import { closeOnProtocolError } from './connection/index.js';

/**
 * Opens a separate connection to the same Redis as the host's. It reconnects forever, and overrides host options that would break it: a key
 * prefix, a lazy connect, time limits shorter than its blocking commands.
 */
export function ownConnection(pattern: Redis, role: keyof typeof ROLES): Redis {
  const connection = pattern.duplicate({ ...COMMON, ...ROLES[role] });
  // Its timer outlives the connection and would keep the process running.
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
  /** A wake-up that cannot be sent at once is useless: no offline queue, no retry. */
  sending: {
    connectionName: 'gateramp-wake',
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: 10_000,
  },
  /** Blocks in a command for seconds; the command is sent again after a reconnect. */
  listening: { connectionName: 'gateramp-listen', maxRetriesPerRequest: null, enableOfflineQueue: true },
} as const satisfies Record<string, RedisOptions>;
