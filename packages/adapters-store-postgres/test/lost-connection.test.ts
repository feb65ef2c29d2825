import { rows } from '@gateramp/conformance';
import { isOutage } from '@gateramp/core/ports';
import type { PageRequest } from '@gateramp/core/domain';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const firstPage: PageRequest = { start: { kind: 'newest' }, limit: 10 };
const anyEvent = { type: null, sessionId: null, createdAfter: null, createdBefore: null };

it('a connection that is lost between two statements of a page ends no process', async () => {
  const fallible = await testPool(1);
  fallible.on('acquire', (client: pg.PoolClient & { processID?: number }) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const losing = async (...args: unknown[]): Promise<unknown> => {
      const answer = await query(...args);
      // Not `once` of node:events, which would listen for errors too.
      const gone = new Promise<void>((resolve) => client.once('end', resolve));
      await pool.query('select pg_terminate_backend($1)', [client.processID]);
      await gone;
      return answer;
    };
    Object.assign(client, { query: losing });
  });
  const ended: unknown[] = [];
  const onEnd = (error: unknown): void => void ended.push(error);
  process.on('uncaughtException', onEnd);
  try {
    const store = postgresStore(fallible, { schema });
    const failure: unknown = await store.list('event', rows.ACME, anyEvent, firstPage).catch((error: unknown) => error);
    expect(isOutage(failure)).toBe(true);
  } finally {
    process.off('uncaughtException', onEnd);
  }
  expect(ended).toEqual([]);
  await fallible.end();
});
