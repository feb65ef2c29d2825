import { startPostgres } from '../../tools/test-services/postgres.mjs';
import { compare } from '../lib/compare.mjs';
import { creates, retrieves } from './requests.mjs';
import { runSide } from './run-side.mjs';

/** The HTTP contract on Postgres, against a hand-written Fastify + pg handler: same rows, same pool, one prepared statement a request. */
export async function benchPostgres({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  const env = { BENCH_DATABASE_URL: postgres.url };
  const side = (script, connections, requestFor, expect) => () => runSide(script, { seconds, connections, expect, requestFor, env });
  const create = (connections, limits) =>
    compare({
      title: `Postgres: create, ${connections} connections`,
      rounds,
      ...limits,
      baseline: side('bare-postgres.mjs', connections, creates, 201),
      ours: side('gate-postgres.mjs', connections, creates, 201),
    });
  try {
    return [
      await create(32, { atLeast: 1.0, aim: 1.5 }),
      await create(128, { atLeast: 1.3, aim: 2.0 }),
      await compare({
        title: 'Postgres: retrieve, 32 connections',
        rounds,
        atLeast: 0.6,
        aim: 0.9,
        baseline: side('bare-postgres.mjs', 32, (server) => retrieves(server.sessionId), 200),
        ours: side('gate-postgres.mjs', 32, (server) => retrieves(server.sessionId), 200),
      }),
    ];
  } finally {
    await postgres.stop();
  }
}
