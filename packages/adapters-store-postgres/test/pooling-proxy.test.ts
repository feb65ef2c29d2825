import { describeLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPgBouncer } from '../../../tests/services/pgbouncer.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { startTransactionPooler } from '../../../tests/services/transaction-pooler.js';
import { migrate, migrations } from '../src/index.js';
import { isDeep } from '../../../tests/depth.js';
import { CLOSE_BORDERS, partitionedSchema } from './partitions/partitioned-schema.js';
import { aSchemaName, postgresSubject } from './postgres-subject.js';

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

  it('shares few server connections among many clients', async () => {
    const pids = await Promise.all(
      Array.from({ length: 24 }, () => pool.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.01)')),
    );
    expect(new Set(pids.map(({ rows }) => rows[0]?.pid)).size).toBeLessThanOrEqual(2);
  });

  it('migrates once however many start at once', async () => {
    const schema = aSchemaName();
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(pool, { schema })));
    expect(ran.flat()).toHaveLength(migrations(schema).length);
  });

  const contended = /races|claiming|histories/;
  const laws = storeLaws.filter(({ topic }) => contended.test(topic));
  describeLaws(laws, { ...postgresSubject(() => pool), model: { runs: 3 } }, { describe, it });

  if (!isDeep) return;
  describe('to a partitioned database', () => {
    const read = storeLaws.filter(({ topic }) => /list|claiming|races/.test(topic));
    describeLaws(
      read,
      postgresSubject(
        () => pool,
        {},
        (on) => partitionedSchema(on, CLOSE_BORDERS),
      ),
      { describe, it },
    );
  });
});
