import { startPostgres } from '../../tests/services/postgres.ts';
import { compare } from '../lib/compare.mjs';
import { newDatabase } from '../lib/databases.mjs';
import { post } from '../lib/post.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { createdAt, creates, retrieves } from './requests.mjs';
import { runSide } from './run-side.mjs';

/**
 * The server that `npm start` starts, as an api process with its log, metrics and limits as they come, against a
 * Fastify + pg server written by hand over tables made for it (`servers/bare-postgres.mjs`). A database of its own for
 * each run.
 */
export async function benchPostgres({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  const bare = async () => startServer('bare-postgres.mjs', { BENCH_DATABASE_URL: await newDatabase(postgres.url) });
  const gate = async () => {
    const server = await startReferenceServer({ DATABASE_URL: await newDatabase(postgres.url), GATE_ROLE: 'api' });
    const { id } = await post(server.port, createdAt(0));
    return { ...server, sessionId: id };
  };
  const side = (start, connections, requestFor, expect) => () =>
    runSide(start, { seconds, connections, expect, requestFor, databasePid: postgres.pid });
  const create = (connections, limits) =>
    compare({
      title: `Postgres: create, ${connections} connections`,
      rounds,
      ...limits,
      baseline: side(bare, connections, creates, 201),
      ours: side(gate, connections, creates, 201),
    });
  try {
    return [
      await create(32, { atLeast: 1.0, aim: 1.3 }),
      await create(128, { atLeast: 1.3, aim: 1.8 }),
      await compare({
        title: 'Postgres: retrieve, 32 connections',
        rounds,
        atLeast: 0.6,
        aim: 0.9,
        baseline: side(bare, 32, retrievesOne, 200),
        ours: side(gate, 32, retrievesOne, 200),
      }),
    ];
  } finally {
    await postgres.stop();
  }
}

function retrievesOne(server) {
  return retrieves(server.sessionId);
}
