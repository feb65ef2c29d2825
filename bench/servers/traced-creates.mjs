import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { otelTracer, rootSampling } from '@gateramp/telemetry-otel';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import Fastify from 'fastify';
import pg from 'pg';
import { benchGate } from './gate.mjs';

/**
 * Two gates of one process: without a tracer, and with one that samples BENCH_SHARE, set up as in the reference server. Two starts of the
 * same server differ by more than what is measured. Answers every message with the CPU time of the process so far, in µs.
 */
const { BENCH_DATABASE_URL: url, BENCH_SHARE: share } = process.env;

const pool = url === undefined ? null : new pg.Pool({ connectionString: url, max: 10 });
if (pool !== null) await migrate(pool);
const store = () => (pool === null ? memoryStore() : postgresStore(pool));
const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(Number(share)) });
const sampling = rootSampling(sampler, new RandomIdGenerator());
const provider = new BasicTracerProvider({
  sampler,
  idGenerator: sampling.idGenerator,
  spanProcessors: [new BatchSpanProcessor(discarding())],
});
const tracer = otelTracer({ tracer: provider.getTracer('bench'), sampling });
const ports = [await listen(), await listen({ tracer })];
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.send({ ports });

async function listen(given = {}) {
  const app = Fastify();
  const gate = await benchGate(store(), given);
  // The load has forwarding headers of a proxy, which are not trusted here.
  await app.register(fastifyGate, { gate, mode: 'test', onWarning: () => undefined });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server.address().port;
}

function discarding() {
  return { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
}
