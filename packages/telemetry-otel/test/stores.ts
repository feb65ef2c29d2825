import { memoryStore } from '@gateramp/adapters-store-memory';
import type { OpenStore } from '@gateramp/conformance';
import { onTestFinished } from 'vitest';
import { postgresSubject, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { sqliteSubject } from '../../adapters-store-sqlite/test/sqlite-subject.js';
import type { Store } from '@gateramp/core/ports';

/** Opens an empty store of each kind until the test ends. */
export const STORES = {
  memory: async (): Promise<Store> => memoryStore(),
  sqlite: () => untilTheEnd(sqliteSubject.create()),
  postgres: async () => {
    const pool = await testPool(4);
    onTestFinished(() => pool.end());
    return untilTheEnd(postgresSubject(() => pool).create());
  },
} as const;

async function untilTheEnd(opening: Promise<OpenStore>): Promise<Store> {
  const { store, close } = await opening;
  onTestFinished(() => close());
  return store;
}
