import { postgresStore, migrate } from '@gateramp/adapters-store-postgres';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { otelTracer } from '@gateramp/telemetry-otel';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import pg from 'pg';
import { benchGate, SECRET_KEY } from './gate.mjs';

/**
 * Creates sessions by two gates of one process in turn: without a tracer, and with one that samples what
 * OTEL_TRACES_SAMPLER_ARG says. Two starts of the same server differ by more than what is measured. Sends the CPU time of a create in
 * each run, in µs.
 */
const { BENCH_DATABASE_URL: url, BENCH_SLICES: slices } = process.env;
const CREATES = 800;
const CONNECTIONS = 32;

const pool = url === undefined ? null : new pg.Pool({ connectionString: url, max: 10 });
if (pool !== null) await migrate(pool);
const store = () => (pool === null ? memoryStore() : postgresStore(pool));
const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(discarding())] });
const sides = [
  { gate: await benchGate(store()), runs: [] },
  { gate: await benchGate(store(), { tracer: otelTracer({ tracer: provider.getTracer('bench') }) }), runs: [] },
];

const body = new TextEncoder().encode(
  JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' }),
);
let made = 0;
for (const { gate } of [...sides, ...sides]) await creates(gate);
for (let slice = 0; slice < Number(slices); slice += 1)
  for (const { gate, runs } of slice % 2 === 0 ? sides : sides.toReversed()) runs.push(await creates(gate));
await pool?.end();
process.send({ runs: sides.map(({ runs }) => runs) });

async function creates(gate) {
  const before = process.cpuUsage();
  let left = CREATES;
  const one = async () => {
    while ((left -= 1) >= 0) await create(gate);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CREATES;
}

async function create(gate) {
  const { status } = await gate.handle('test', {
    method: 'POST',
    path: '/v1/gate_sessions',
    query: '',
    headers: {
      authorization: `Bearer ${SECRET_KEY}`,
      'idempotency-key': `bench-${process.pid}-${(made += 1)}`,
      'content-type': 'application/json',
    },
    body: { kind: 'bytes', bytes: body },
    clientIp: '10.0.0.1',
  });
  if (status !== 201) throw new Error(`A create was answered ${status}.`);
}

function discarding() {
  return { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
}
