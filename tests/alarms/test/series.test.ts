import { postgresPartitions } from '@gateramp/adapters-store-postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ALARMS } from '../../../apps/reference-server/src/monitoring/alarms.js';
import { dashboardExpressions } from '../../../apps/reference-server/src/monitoring/dashboard.js';
import { OBJECTIVES } from '../../../apps/reference-server/src/monitoring/objectives.js';
import { MASTER_KEY } from '../../../apps/reference-server/test/master-keys.js';
import { callsTo, KEYED, useLocalChain } from '../../legs/checkout.js';
import { startReferenceServer } from '../../services/reference-server.js';
import { createScratchDatabase } from '../../services/scratch-database.js';
import { testRedisUrl } from '../../services/test-redis.js';
import { unknownSeries } from '../series.js';

const chain = useLocalChain();

test('a running server has every series that an alarm or the dashboard names', async () => {
  const database = await createScratchDatabase();
  const server = await startReferenceServer({
    settings: {
      ...chain.environment,
      DATABASE_URL: database.url,
      REDIS_URL: await testRedisUrl(),
      GATE_MASTER_KEY: MASTER_KEY,
    },
  });
  await callsTo(server)('GET', '/v1/capabilities/flows', KEYED);
  // Only partitioned tables have months.
  const pool = new pg.Pool({ connectionString: database.url });
  await postgresPartitions(pool).on(Date.now());
  await pool.end();
  const expressions = [
    ...ALARMS.map(({ expr }) => expr),
    ...OBJECTIVES.map(({ ratio }) => ratio('5m')),
    ...dashboardExpressions(),
  ];
  const read = async () => (await fetch(`${server.origins.ops}/metrics`)).text();
  // A database or a chain that the machine keeps waiting is left out of an answer.
  const missing = async () => {
    const text = await read();
    return expressions.flatMap((expression) => unknownSeries(expression, text));
  };
  await expect.poll(missing).toEqual([]);
  const metrics = await read();
  await server.stop();
  await database.drop();
  expect(unknownSeries('rate(gate_alarms_total{name="not_an_alarm"}[5m])', metrics)).toHaveLength(1);
  expect(unknownSeries('gate_never_counted > 0', metrics)).toHaveLength(1);
});
