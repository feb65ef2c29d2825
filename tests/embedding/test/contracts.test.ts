import {
  inProcessScheduler,
  memoryKycVault,
  memoryRateLimits,
  memoryStore,
  noRateLimits,
} from '@gateramp/adapters-store-memory';
import { redisRateLimits } from '@gateramp/adapters-limits-redis';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import {
  pollingScheduler,
  postgresKycVault,
  postgresLegsStore,
  postgresOperator,
  postgresStore,
} from '@gateramp/adapters-store-postgres';
import {
  openSqlite,
  sqliteKycVault,
  sqliteLegsStore,
  sqliteOperator,
  sqliteStore,
} from '@gateramp/adapters-store-sqlite';
import { CONTRACT, type Contracted } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { apiDocument } from '@gateramp/extensions/api-document';
import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import {
  fakeChain,
  fakeFiat,
  fakeIdentity,
  fakeScreening,
  fixedPrices,
  fixedSpread,
  httpIdentity,
  httpScreening,
  legs,
  memoryLegsStore,
} from '@gateramp/provider-legs';
import { otelTracer } from '@gateramp/telemetry-otel';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expect, it } from 'vitest';

/** Neither connects by itself. */
const pool = new Pool();
const redis = new Redis({ lazyConnect: true });
const crypto = nodeCrypto({ masterKey: null });
const file = openSqlite(':memory:');
const store = memoryLegsStore();
const http = { url: 'http://127.0.0.1/', credential: { kind: 'bearer', token: 'not-used' } } as const;
const parts = {
  fiat: fakeFiat({ store }),
  chain: fakeChain(),
  exchange: fixedSpread({ pairs: [], sources: [fixedPrices({})], spreadBps: 0 }),
  screening: fakeScreening(),
  identity: fakeIdentity({ store }),
  store,
};
const names = { countries: [], currencies: {}, assets: {} };

it.each<[string, Contracted]>(
  Object.entries({
    memoryStore: memoryStore(),
    memoryRateLimits: memoryRateLimits(),
    noRateLimits: noRateLimits(),
    memoryKycVault: memoryKycVault(),
    inProcessScheduler: inProcessScheduler(),
    sqliteStore: sqliteStore(file),
    sqliteOperator: sqliteOperator(file),
    sqliteKycVault: sqliteKycVault(file, { crypto }),
    sqliteLegsStore: sqliteLegsStore(file),
    postgresStore: postgresStore(pool),
    postgresOperator: postgresOperator(pool),
    postgresKycVault: postgresKycVault(pool, { crypto }),
    postgresLegsStore: postgresLegsStore(pool),
    pollingScheduler: pollingScheduler(pool),
    redisScheduler: redisScheduler(redis),
    redisRateLimits: redisRateLimits(redis),
    sandboxProvider: sandboxProvider(),
    otelTracer: otelTracer(),
    ...parts,
    httpScreening: httpScreening(http),
    httpIdentity: httpIdentity(http),
    legs: legs({ ...parts, names }),
    apiDocument: apiDocument(),
    consoleAccess: consoleAccess(),
    inspection: inspection(),
    pools: pools(),
    sandbox: sandbox(),
  }),
)('%s states the contract of this release', (_, adapter) => {
  expect(adapter.contract).toBe(CONTRACT);
});

it('a provider of legs refuses a leg for later ports, and says what to install', () => {
  const chain = { ...parts.chain, contract: CONTRACT + 1 };
  expect(() => legs({ ...parts, chain, names })).toThrow(
    'legs received invalid arguments: chain states contract 3; the installed @gateramp/provider-legs takes contracts 1 to 2. Install a newer @gateramp/provider-legs, or a release of the adapter for one of them.',
  );
});
