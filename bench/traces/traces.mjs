import { startPostgres } from '../../tests/services/postgres.ts';
import { verdict } from '../lib/compare.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { startServer } from '../lib/server.mjs';

/** Compares creates with one of a hundred traced with creates without a tracer, in one process each for Postgres and memory. */
export async function benchTraces({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: TUNING });
  try {
    return [
      await compared('Postgres', { BENCH_DATABASE_URL: await newDatabase(postgres.url) }, { rounds, seconds }),
      await compared('memory', {}, { rounds, seconds }),
    ];
  } finally {
    await postgres.stop();
  }
}

async function compared(name, env, { rounds, seconds }) {
  const { runs, stop } = await startServer('traced-creates.mjs', {
    BENCH_SLICES: String(2 * rounds * seconds),
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
    ...env,
  });
  await stop();
  const [theirs, own] = runs;
  // In memory a create takes a third of the time, and the tracer as long as ever.
  const atLeast = name === 'memory' ? 0.9 : 0.97;
  return verdict({ title: `${name}: create, traces of 1 % against none`, theirs, own, atLeast, aim: 1 });
}
