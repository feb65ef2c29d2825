import { startPostgres } from '../../tests/services/postgres.ts';
import { verdict } from '../lib/compare.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { startServer } from '../lib/server.mjs';

/**
 * Compares the CPU time of creates with one of a hundred traced and without a tracer, both in one process, on Postgres and in memory. HTTP,
 * the log and Postgres' own time are left out, which are the same and most of a create: of a whole one the tracer may take 3 %.
 */
export async function benchTraces({ rounds, seconds }) {
  const postgres = await startPostgres({ tuning: TUNING });
  try {
    return [
      await compared(
        'Postgres',
        { BENCH_DATABASE_URL: await newDatabase(postgres.url) },
        { rounds, seconds, atLeast: 0.92, aim: 0.97 },
      ),
      await compared('memory', {}, { rounds, seconds, atLeast: 0.88, aim: 0.95 }),
    ];
  } finally {
    await postgres.stop();
  }
}

/** Other work on the machine only adds to the CPU time of a run, so the run at the tenth percentile counts. */
function quietest(times) {
  const cpu = times.toSorted((one, other) => one - other)[Math.floor(times.length / 10)];
  return { perSecond: 1e6 / cpu, p99: 0, cpu: { server: Number(cpu.toFixed(1)), database: 0 } };
}

async function compared(name, env, { rounds, seconds, ...limits }) {
  const { runs, stop } = await startServer('traced-creates.mjs', {
    BENCH_SLICES: String(10 * rounds * seconds),
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
    ...env,
  });
  await stop();
  const [theirs, own] = runs.map((times) => [quietest(times)]);
  return verdict({ title: `${name}: create, traces of 1 % against none`, theirs, own, ...limits });
}
