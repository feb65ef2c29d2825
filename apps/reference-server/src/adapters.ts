import { redisRateLimits } from '@gateramp/adapters-limits-redis';
import { memorySandboxLedger, type SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import { inProcessScheduler, memoryRateLimits, memoryStore, noRateLimits } from '@gateramp/adapters-store-memory';
import { pollingScheduler, postgresSandboxLedger, postgresStore } from '@gateramp/adapters-store-postgres';
import type { RateLimits, Scheduler, Store } from '@gateramp/core/ports';
import { Redis } from 'ioredis';
import type { Config } from './config.js';
import { migrateDatabase } from './database/migrate-database.js';
import { openDatabase, QUERY_TIMEOUT_MS, type OpenDatabase } from './database/open-database.js';
import { SCHEMA } from './database/schema.js';
import type { Metrics } from './metrics/metrics.js';

/** What a configuration chooses between: everything in this process, or Postgres, with or without Redis. */
export interface Adapters {
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  readonly ledger: SandboxLedger;
  readonly database: OpenDatabase | null;
  /** Whether rate limits are this process's own because Redis is away; null without Redis. */
  readonly isRedisDegraded: (() => boolean) | null;
  /** Closes every connection that was opened here. */
  close(): Promise<void>;
}

export interface AdapterReports {
  readonly metrics: Metrics;
  /** Hears what goes wrong beside any request. */
  readonly onError: (error: unknown, place: string) => void;
}

/** Opens them, the database migrated. Throws a `StartFault` that says why Postgres cannot be used; Redis may come later. */
export async function openAdapters(config: Config, reports: AdapterReports): Promise<Adapters> {
  const database = config.database === null ? null : await readyDatabase(config.database, config.role, reports);
  const redis = config.redisUrl === null ? null : openRedis(config.redisUrl);
  const shared =
    redis === null || !config.rateLimits
      ? null
      : redisRateLimits(redis, { onError: (error) => reports.onError(error, 'rate limits') });
  return {
    ...(database === null
      ? { store: memoryStore(), ledger: memorySandboxLedger() }
      : booksOf(database, reports.metrics)),
    scheduler: schedulerOf(database, redis, (error) => reports.onError(error, 'scheduler')),
    limits: shared ?? (config.rateLimits ? memoryRateLimits() : noRateLimits()),
    database,
    isRedisDegraded: redis === null ? null : () => redis.status !== 'ready' || (shared?.degraded() ?? false),
    close: async () => {
      redis?.disconnect();
      await database?.close();
    },
  };
}

async function readyDatabase(
  config: NonNullable<Config['database']>,
  role: Config['role'],
  { onError }: AdapterReports,
): Promise<OpenDatabase> {
  await migrateDatabase(config);
  return openDatabase(config, `gateramp ${role}`, (error) => onError(error, 'database'));
}

function booksOf({ pool, isBehindProxy }: OpenDatabase, metrics: Metrics): Pick<Adapters, 'store' | 'ledger'> {
  const store = postgresStore(pool, {
    schema: SCHEMA,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    preparedStatements: !isBehindProxy,
    onCommitBatch: (commits) => metrics.commitBatch.observe(commits),
  });
  return { store, ledger: postgresSandboxLedger(pool, { schema: SCHEMA, queryTimeoutMs: QUERY_TIMEOUT_MS }) };
}

function schedulerOf(database: OpenDatabase | null, redis: Redis | null, onError: (error: unknown) => void): Scheduler {
  if (redis !== null) return redisScheduler(redis, { onError });
  return database === null
    ? inProcessScheduler({ onError })
    : pollingScheduler(database.pool, { schema: SCHEMA, onError, preparedStatements: !database.isBehindProxy });
}

const REDIS_CONNECT_TIMEOUT_MS = 2_000;
const REDIS_RECONNECT_MAX_MS = 2_000;

/** Commands are never queued for long: whoever asks Redis something has an answer of its own when it is away. */
function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    connectTimeout: REDIS_CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => Math.min(times * 100, REDIS_RECONNECT_MAX_MS),
  });
  // The adapters report outages; a client without any listener writes them to the console.
  redis.on('error', () => undefined);
  return redis;
}
