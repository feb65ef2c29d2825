import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { startPgBouncer } from '../../../tests/services/pgbouncer.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { startTransactionPooler } from '../../../tests/services/transaction-pooler.js';

/** Tests on the connections of each proxy, which gives them to another client after each transaction. */
export function throughProxies(tests: (pool: () => pg.Pool) => void): void {
  describe.each([
    ['a transaction-pooling proxy', startTransactionPooler],
    ['PgBouncer', startPgBouncer],
  ])('through %s', (_, start) => {
    let pool: pg.Pool;
    let stop: () => Promise<void>;
    beforeAll(async () => {
      const proxy = await start(await testDatabaseUrl());
      stop = proxy.stop;
      pool = new pg.Pool({ connectionString: proxy.url, max: 12 });
      pool.on('error', () => undefined);
    });
    afterAll(async () => {
      await pool.end();
      await stop();
    });

    tests(() => pool);
  });
}
