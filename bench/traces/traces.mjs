import { startPostgres } from '../../tests/services/postgres.ts';
import { creates } from '../http/requests.mjs';
import { verdict } from '../lib/compare.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { load } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';

const CONNECTIONS = 32;
const SLICE_SECONDS = 0.25;
/** One of a hundred is traced, so that code is only compiled after thousands of requests. */
const WARM_SECONDS = 10;

/**
 * Compares the CPU time of creates over Fastify with one of a hundred traced and without a tracer, in turn in one process, on Postgres
 * and in memory. The tracer may take 3 %. The time of Postgres itself is left out.
 */
export async function benchTraces({ rounds, seconds }) {
  const slices = Math.ceil((2 * rounds * seconds) / SLICE_SECONDS);
  const postgres = await startPostgres({ tuning: TUNING });
  try {
    return [
      await compared('Postgres', { BENCH_DATABASE_URL: await newDatabase(postgres.url) }, slices),
      await compared('memory', {}, slices),
    ];
  } finally {
    await postgres.stop();
  }
}

async function compared(name, env, slices) {
  const { ports, ask, stop } = await startServer('traced-creates.mjs', { BENCH_SHARE: '0.01', ...env });
  const sides = ports.map((port) => ({ port, runs: [] }));
  try {
    for (const side of sides) await slice(side, ask, WARM_SECONDS);
    for (let nth = 0; nth < slices; nth += 1)
      for (const side of nth % 2 === 0 ? sides : sides.toReversed())
        side.runs.push(await slice(side, ask, SLICE_SECONDS));
  } finally {
    await stop();
  }
  const [theirs, own] = sides.map(({ runs }) => [quietest(runs)]);
  return verdict({ title: `${name}: create, traces of 1 % against none`, theirs, own, atLeast: 0.97, aim: 0.99 });
}

async function slice({ port }, ask, seconds) {
  const before = await ask();
  const { answered } = await load({ port, connections: CONNECTIONS, seconds, request: creates(), expect: 201 });
  return ((await ask()) - before) / answered;
}

/** Other work on the machine only adds to the CPU time of a run, so the run at the tenth percentile counts. */
function quietest(times) {
  const cpu = times.toSorted((one, other) => one - other)[Math.floor(times.length / 10)];
  return { perSecond: 1e6 / cpu, p99: 0, cpu: { server: Number(cpu.toFixed(1)), database: 0 } };
}
