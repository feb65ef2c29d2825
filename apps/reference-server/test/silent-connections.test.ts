import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startSilentProxy } from '../../../tests/services/silent-proxy.js';
import { shortest, stopwatch } from '../../../tests/services/stopwatch.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { openDatabase } from '../src/database/open-database.js';

let target: URL;
beforeAll(async () => {
  target = new URL(await testDatabaseUrl());
});

/** The server's connections through a proxy, several of them open, none busy. */
async function opened({ isBehindProxy = false } = {}) {
  const proxy = await startSilentProxy(Number(target.port));
  const url = new URL(target);
  url.port = String(proxy.port);
  const database = openDatabase(
    { url: url.href, connectionsMax: 4, isBehindProxy, isDistributed: false },
    'gateramp test',
    () => undefined,
  );
  onTestFinished(async () => {
    await database.close();
    await proxy.stop();
  });
  await Promise.all(Array.from({ length: 4 }, () => database.pool.query('select pg_sleep(0.05)')));
  return { proxy, pool: database.pool };
}

it.each([false, true])(
  'a connection that falls silent costs one statement three seconds at the most, and the next ones nothing (proxy: %s)',
  async (isBehindProxy) => {
    /** The larger of both times, as a share of its limit. */
    const replaced = async (): Promise<number> => {
      const { proxy, pool } = await opened({ isBehindProxy });
      proxy.fallSilent();
      const elapsed = stopwatch();
      await expect(pool.query('select 1')).rejects.toThrow();
      const lost = elapsed() / (isBehindProxy ? 4_000 : 3_000);
      const after = stopwatch();
      // A database that does not answer at all says nothing of the connections.
      return Promise.all(Array.from({ length: 4 }, () => pool.query('select 1'))).then(
        () => Math.max(lost, after() / 1_000),
        () => Infinity,
      );
    };
    expect(await shortest(replaced, 1)).toBeLessThan(1);
  },
);

it('a statement that Postgres works on is left alone, however long it takes', async () => {
  const { pool } = await opened();
  expect((await pool.query('select pg_sleep(4)')).rowCount).toBe(1);
});
