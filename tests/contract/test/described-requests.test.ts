import { describeLaws, fetchSubject, type OpenStore } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresSubject, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { sqliteSubject } from '../../../packages/adapters-store-sqlite/test/sqlite-subject.js';
import { runs } from '../../depth.js';
import { describedRequestLaws } from '../index.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** Texts that one store keeps and another refuses must be refused before they reach it. */
const STORES: Readonly<Record<string, { readonly create?: () => Promise<OpenStore>; readonly runs: number }>> = {
  memory: { runs: runs(800, 10_000) },
  SQLite: { create: () => sqliteSubject.create(), runs: runs(800, 3_000) },
  Postgres: { create: () => postgresSubject(() => pool).create(), runs: runs(800, 3_000) },
};

for (const [name, { create, runs: count }] of Object.entries(STORES))
  describe(name, () => {
    const subject = { ...fetchSubject(), ...(create === undefined ? {} : { store: create }) };
    describeLaws(describedRequestLaws({ runs: count }), subject, {
      describe,
      it: (title, run) => it(title, run, 120_000),
    });
  });
