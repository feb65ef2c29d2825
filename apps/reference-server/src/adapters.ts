import { redisRateLimits } from '@gateramp/adapters-limits-redis';
import { memorySandboxLedger, type SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import {
  inProcessScheduler,
  memoryKycVault,
  memoryRateLimits,
  memoryStore,
  noRateLimits,
} from '@gateramp/adapters-store-memory';
import {
  pollingScheduler,
  postgresKycVault,
  postgresLegsStore,
  postgresOperator,
  postgresSandboxLedger,
  postgresStore,
  type PostgresOperator,
} from '@gateramp/adapters-store-postgres';
import {
  sqliteKycVault,
  sqliteLegsStore,
  sqliteOperator,
  sqliteSandboxLedger,
  sqliteStore,
  type SqliteDatabase,
} from '@gateramp/adapters-store-sqlite';
import type { Crypto, KycVault, OperatorReads, RateLimits, Scheduler, Store, Telemetry } from '@gateramp/core/ports';
import { memoryLegsStore, type LegsStore } from '@gateramp/provider-legs';
import type { Redis } from 'ioredis';
import type { Config } from './config/config.js';
import { lockDataDir, openDataFile } from './data-dir/data-dir.js';
import { checkDistribution, distributionOf } from './database/distribution.js';
import { migrateDatabase } from './database/migrate-database.js';
import { openDatabase, QUERY_TIMEOUT_MS, type OpenDatabase } from './database/open-database.js';
import { SCHEMA } from './database/schema.js';
import type { Metrics } from './metrics/metrics.js';
import { openRedis } from './redis/open-redis.js';
import { redisError } from './redis/redis-error.js';

/** Operations on the data that only operators need. */
export type Operator = PostgresOperator;

/** The adapters of a configuration: all in this process or its folder, or Postgres, with or without Redis. */
export interface Adapters {
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  readonly ledger: SandboxLedger;
  /** The store of provider legs. */
  readonly legsStore: LegsStore;
  readonly database: OpenDatabase | null;
  readonly file: OpenFile | null;
  readonly redis: Redis | null;
  /** Null if everything is in memory. */
  readonly operator: Operator | null;
  /** What the console shows to operators of all partners. */
  readonly operatorReads: OperatorReads;
  /** The vault of KYC packages, stored with the sessions that they belong to. */
  readonly vault: (crypto: Crypto) => KycVault;
  /** Whether rate limits are counted per process because Redis is unavailable; null without Redis. */
  readonly isRedisDegraded: (() => boolean) | null;
  /** Closes every connection that was opened here. */
  close(): Promise<void>;
}

export interface AdapterReports {
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  /** Called with errors outside of requests. */
  readonly onError: (error: unknown, place: string) => void;
  /** Called with a line of text when the start has to wait. */
  readonly onProgress: (line: string) => void;
}

/** Opens the adapters and migrates the database. Throws a `StartError` if Postgres cannot be used; Redis may become available later. */
export async function openAdapters(config: Config, reports: AdapterReports): Promise<Adapters> {
  const database = config.database === null ? null : await readyDatabase(config.database, config.role, reports);
  const file = config.dataDir === null ? null : openFile(config.dataDir, reports.metrics);
  const redis = config.redisUrl === null ? null : openRedis(config.redisUrl);
  const shared =
    redis === null || config.rateLimits === null
      ? null
      : redisRateLimits(redis, { onError: (error) => reports.onError(redisError(error, redis), 'rate limits') });
  return {
    ...(database !== null ? booksOf(database, reports) : file !== null ? booksIn(file) : booksInMemory()),
    scheduler: schedulerOf(database, redis, (error) => reports.onError(error, 'scheduler')),
    limits: shared ?? (config.rateLimits === null ? noRateLimits() : memoryRateLimits()),
    database,
    file,
    redis,
    isRedisDegraded: redis === null ? null : () => redis.status !== 'ready' || (shared?.degraded() ?? false),
    close: async () => {
      redis?.disconnect();
      await database?.close();
      file?.close();
    },
  };
}

async function readyDatabase(
  config: NonNullable<Config['database']>,
  role: Config['role'],
  { onError, onProgress }: AdapterReports,
): Promise<OpenDatabase> {
  await migrateDatabase(config, onProgress);
  const database = openDatabase(config, `gateramp ${role}`, (error) => onError(error, 'database'));
  try {
    await checkDistribution(database.pool, config);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Books = Pick<Adapters, 'store' | 'ledger' | 'legsStore' | 'vault' | 'operator' | 'operatorReads'>;

function booksInMemory(): Books {
  const store = memoryStore();
  return {
    store,
    operatorReads: store,
    ledger: memorySandboxLedger(),
    legsStore: memoryLegsStore(store),
    vault: () => memoryKycVault(),
    operator: null,
  };
}

/** The data folder of a server, locked by this process until it is closed. */
export interface OpenFile {
  readonly database: SqliteDatabase;
  readonly close: () => void;
}

function openFile(dir: string, metrics: Metrics): OpenFile {
  const unlock = lockDataDir(dir);
  try {
    const database = openDataFile(dir, { onCommitBatch: (commits) => metrics.commitBatch.observe(commits) });
    return {
      database,
      close: () => {
        database.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function booksIn({ database }: OpenFile): Books {
  const operator = sqliteOperator(database);
  return {
    store: sqliteStore(database),
    ledger: sqliteSandboxLedger(database),
    legsStore: sqliteLegsStore(database),
    vault: (crypto) => sqliteKycVault(database, { crypto }),
    operator,
    operatorReads: operator,
  };
}

function booksOf(
  { pool, opsPool, opsTimeoutMs, isBehindProxy, isDistributed }: OpenDatabase,
  { metrics, telemetry }: AdapterReports,
): Books {
  const distribution = distributionOf({ isDistributed });
  const store = postgresStore(pool, {
    schema: SCHEMA,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    preparedStatements: !isBehindProxy,
    distribution,
    onCommitBatch: (commits) => metrics.commitBatch.observe(commits),
    onEventsHeldBack: ({ partnerId, mode }) => telemetry.alarm('events_held_back', { partner_id: partnerId, mode }),
  });
  const options = { schema: SCHEMA, queryTimeoutMs: QUERY_TIMEOUT_MS };
  const operator = postgresOperator(opsPool, {
    schema: SCHEMA,
    queryTimeoutMs: opsTimeoutMs,
    distribution,
  });
  return {
    store,
    ledger: postgresSandboxLedger(pool, options),
    legsStore: postgresLegsStore(pool, options),
    vault: (crypto) => postgresKycVault(pool, { crypto, ...options }),
    operator,
    operatorReads: operator,
  };
}

function schedulerOf(database: OpenDatabase | null, redis: Redis | null, onError: (error: unknown) => void): Scheduler {
  if (redis !== null) return redisScheduler(redis, { onError: (error) => onError(redisError(error, redis)) });
  return database === null
    ? inProcessScheduler({ onError })
    : pollingScheduler(database.pool, {
        schema: SCHEMA,
        onError,
        preparedStatements: !database.isBehindProxy,
        distribution: distributionOf(database),
      });
}
