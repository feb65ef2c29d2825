import { createHash } from 'node:crypto';
import { rows } from '@gateramp/conformance';
import { emptyChange } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { sandboxPools, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createTestGate } from '@gateramp/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  migrations,
  postgresKycVault,
  postgresLegsStore,
  postgresLoad,
} from '../../../packages/adapters-store-postgres/src/index.js';
import { aSchemaName, freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { partitionedSchema } from '../../../packages/adapters-store-postgres/test/partitions/partitioned-schema.js';
import { fill } from '../../../packages/adapters-store-postgres/test/upgrades/shop-life.js';
import { sqliteDump, sqliteKycVault, sqliteLegsStore } from '../../../packages/adapters-store-sqlite/src/index.js';
import { histories } from '../differential/histories.js';
import { express, fastify } from '../differential/kinds.js';
import { play } from '../differential/play.js';
import { cutAtCommits } from '../moved/cut-at-commits.js';
import { moving, ownFile, partsInFile, partsInPostgres, type OwnFile, withoutTime } from '../moved/places.js';
import { tablesOf } from '../moved/tables.js';

const { ACME, T0 } = rows;
const MASTER_KEY = createHash('sha256').update('the master key of a move').digest();

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

let own: OwnFile;
beforeEach(() => {
  own = ownFile();
});
afterEach(() => own.remove());

describe('what is in Postgres after a move', () => {
  it('is row by row what Postgres itself would hold after the same history', { timeout: 300_000 }, async () => {
    const native = await freshSchema(pool);
    const compared: { moved: unknown; native: unknown }[] = [];
    const kinds = [
      {
        name: 'Postgres',
        store: { create: async () => ({ ...withoutTime(partsInPostgres(pool, native)), close: async () => {} }) },
        http: fastify,
      },
      {
        name: 'a file that moves',
        store: {
          create: () =>
            moving(pool, async (schema) => {
              compared.push({
                moved: await tablesOf(pool, schema, { isExact: false }),
                native: await tablesOf(pool, native, { isExact: false }),
              });
            }),
        },
        http: express,
      },
    ];
    const [history] = fc.sample(histories(400, 500), { seed: 3, numRuns: 1 });
    if (history === undefined) throw new Error('A sample has what was asked for.');
    await play(kinds, history, { moveAfter: 0.9 });
    expect(compared).toHaveLength(1);
    const [tables] = compared;
    expect(tables?.moved).toEqual(tables?.native);
    const empty = Object.entries(tables?.moved ?? {}).filter(([, found]) => found.length === 0);
    // No request of this history fills these tables; the tests below do. Only partitioned events have keys of their own.
    expect(empty.map(([name]) => name)).toEqual(['consumers', 'event_keys', 'leg_documents', 'leg_entries']);
  });

  it('has the documents and the ledger of provider legs', async () => {
    const before = sqliteLegsStore(own.file);
    const documents = ['a', 'b', 'c'].map((id) => ({
      kind: 'operation_test',
      id,
      version: 1,
      status: 'running',
      dueAt: T0,
      body: { step: 'send' },
    }));
    const postings = [
      { account: 'fiat', currency: 'EUR', amount: '10.00' },
      { account: 'customer', currency: 'EUR', amount: '-10.00' },
    ];
    const entries = ['a:capture', 'b:capture'].map((id) => ({ id, operationId: 'a', at: T0, postings }));
    await before.commit({ documents, entries });
    const schema = aSchemaName();
    await postgresLoad(pool, sqliteDump(own.file), { id: 'move', schema, batchRows: 2 });
    const after = postgresLegsStore(pool, { schema });
    expect(await after.list({ kind: 'operation_test', after: null, limit: 10 })).toEqual(documents);
    expect(await after.entries('a')).toEqual(entries);
  });

  it(
    'is the same when the move was cut at every one of its transactions, before it and after it',
    { timeout: 120_000 },
    async () => {
      const parts = partsInFile(own.file);
      const ports = {
        store: parts.store,
        providers: [sandboxProvider({ ledger: parts.ledger })],
        pools: sandboxPools(parts),
      };
      await fill(await createTestGate({ ports }));
      const [whole, pieces] = [aSchemaName(), aSchemaName()];
      const options = { id: 'move', batchRows: 5 };
      let transactions = 0;
      await postgresLoad(pool, sqliteDump(own.file), {
        ...options,
        schema: whole,
        onProgress: () => (transactions += 1),
      });

      const load = (cut: 'before' | 'after') =>
        postgresLoad(cutAtCommits(pool, cut), sqliteDump(own.file), { ...options, schema: pieces }).then(
          () => 'ended',
          (error: unknown) => String(error),
        );
      const cuts: string[] = [];
      // The transactions of the migrations can be cut too.
      const cutsMax = 4 * (migrations(pieces).length + transactions);
      for (let outcome = await load('before'); outcome !== 'ended'; outcome = await load('before')) {
        cuts.push(outcome, await load('after'));
        if (cuts.length > cutsMax) throw new Error('The move does not come to its end.');
      }
      expect(new Set(cuts)).toEqual(new Set(['Error: Cut before the commit.', 'Error: Cut after the commit.']));
      expect(cuts.length / 2).toBeGreaterThan(transactions);
      expect(transactions).toBeGreaterThan(40);
      const consumers = await parts.store.readConsumers();
      expect(consumers.consumers).toHaveLength(1);
      expect(await partsInPostgres(pool, pieces).store.readConsumers()).toEqual(consumers);
      expect(await tablesOf(pool, pieces, { isExact: true })).toEqual(await tablesOf(pool, whole, { isExact: true }));
    },
  );

  it('is the same in a database that was partitioned before', async () => {
    const parts = partsInFile(own.file);
    const providers = [sandboxProvider({ ledger: parts.ledger })];
    await fill(await createTestGate({ ports: { store: parts.store, providers, pools: sandboxPools(parts) } }));
    const [plain, partitioned] = [aSchemaName(), await partitionedSchema(pool, [Date.UTC(2029, 0), Date.UTC(2031, 0)])];
    for (const schema of [plain, partitioned]) await postgresLoad(pool, sqliteDump(own.file), { id: 'move', schema });
    const [expected, found] = await Promise.all(
      [plain, partitioned].map((schema) => tablesOf(pool, schema, { isExact: true })),
    );
    const { settings, event_keys: keys, ...tables } = found ?? {};
    expect(keys).toHaveLength(expected?.['events']?.length ?? -1);
    expect(settings).toEqual(expect.arrayContaining([...(expected?.['settings'] ?? [])]));
    for (const [name, rows] of Object.entries(expected ?? {}))
      if (name !== 'settings' && name !== 'event_keys') expect([name, tables[name]]).toEqual([name, rows]);
  });

  it('opens under the same master key, packages of KYC too', async () => {
    const { store } = partsInFile(own.file);
    const before = nodeCrypto({ masterKey: MASTER_KEY });
    await before.open(store);
    const entry = {
      sessionId: 'session',
      partnerId: ACME.partnerId,
      mode: ACME.mode,
      body: '{"name":"Ann"}',
      forgetBy: T0,
    };
    await sqliteKycVault(own.file, { crypto: before }).store(entry);
    const schema = aSchemaName();
    await postgresLoad(pool, sqliteDump(own.file), { id: 'move', schema });

    const after = nodeCrypto({ masterKey: MASTER_KEY });
    await after.open(partsInPostgres(pool, schema).store);
    expect(await postgresKycVault(pool, { crypto: after, schema }).find('session')).toEqual(entry);
    expect(after.keyedHash('any', 'text')).toBe(before.keyedHash('any', 'text'));
  });

  it('is leased to whoever held it, until that lease ends, and counts the claims from before', async () => {
    const { store: file } = partsInFile(own.file);
    const event = rows.aPartnerEvent(ACME, T0);
    const delivery = rows.aDelivery(event, T0);
    await file.commit({
      ...emptyChange(ACME, T0),
      events: [event],
      deliveries: [{ row: delivery, when: 'always' }],
      tasks: [rows.aTask()],
    });
    const claim = { now: rows.nowIn(T0), limit: 9, leaseMs: 1_000, token: 'of the server that ended' };
    const ofFirst = { ...claim, lane: 'first', perEndpoint: 9 } as const;
    expect(
      [await file.claim('delivery', ofFirst), await file.claim('task', claim)].map(({ length }) => length),
    ).toEqual([1, 1]);
    const schema = aSchemaName();
    await postgresLoad(pool, sqliteDump(own.file), { id: 'move', schema });

    const { store } = partsInPostgres(pool, schema);
    expect(await store.find('delivery', ACME, delivery.id)).toEqual(await file.find('delivery', ACME, delivery.id));
    const [during, afterwards] = [rows.nowIn(T0 + 999), rows.nowIn(T0 + 1_000)];
    expect(await store.claim('delivery', { ...ofFirst, now: during })).toEqual([]);
    expect(await store.claim('task', { ...claim, now: during })).toEqual([]);
    const [again] = await store.claim('delivery', { ...ofFirst, now: afterwards, token: 'new' });
    expect(again).toMatchObject({ delivery: { id: delivery.id, claims: 2 }, event: { body: event.body } });
    expect(await store.claim('task', { ...claim, now: afterwards, token: 'new' })).toMatchObject([{ claims: 2 }]);
  });
});
