import { startPostgres } from '../../tests/services/postgres.ts';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { poster } from '../lib/post.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { compareSides } from './compare-sides.mjs';
import { createdAt, creates, retrieves } from './requests.mjs';

/**
 * Compares the reference server, as an api process with its default log, metrics and limits, with a hand-written
 * Fastify + pg server that has its own tables (`servers/bare-postgres.mjs`). Each run has a new database.
 */
export async function benchPostgres({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: TUNING });
  const bare = async () => startServer('bare-postgres.mjs', { BENCH_DATABASE_URL: await newDatabase(postgres.url) });
  const gate = async () => {
    const server = await startReferenceServer({ DATABASE_URL: await newDatabase(postgres.url), GATE_ROLE: 'api' });
    const { id } = JSON.parse(await poster(server.port)(createdAt(0)));
    return { ...server, sessionId: id };
  };
  const compared = (title, { requestFor, ...how }) =>
    compareSides({
      title: `Postgres: ${title}`,
      // The speed of the same server varies by a tenth from start to start.
      ...{ rounds: 2 * rounds - 1, seconds, databasePid: postgres.pid, ...how },
      baseline: { start: bare, requestFor },
      ours: { start: gate, requestFor },
    });
  const create = { requestFor: creates, expect: 201 };
  const retrieve = { requestFor: ({ sessionId }) => retrieves(sessionId), expect: 200 };
  try {
    return [
      await compared('create, 32 connections', { ...create, connections: 32, atLeast: 1.0, aim: 1.3 }),
      await compared('create, 128 connections', { ...create, connections: 128, atLeast: 1.3, aim: 1.8 }),
      await compared('retrieve, 32 connections', { ...retrieve, connections: 32, atLeast: 0.6, aim: 0.9 }),
    ];
  } finally {
    await postgres.stop();
  }
}
