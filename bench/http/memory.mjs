import { compare } from '../lib/compare.mjs';
import { httpRequest, load } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';

const CONNECTIONS = 32;
const SECRET_KEY = 'sk_test_0000000000000000benchmarks';
const BODY = JSON.stringify({ amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' });
const AUTH = { authorization: `Bearer ${SECRET_KEY}` };

/** Both sides get the same bytes; the key is fresh each time. */
const create = (n) => httpRequest('POST', '/v1/gate_sessions', { ...AUTH, 'idempotency-key': `bench-${n}` }, BODY);
const retrieve = (id) => {
  const request = httpRequest('GET', `/v1/gate_sessions/${id}`, AUTH);
  return () => request;
};

/** The HTTP contract on the memory store, against a bare JSON route of the same framework. */
export async function benchMemory({ rounds, seconds }) {
  const rows = [];
  for (const side of SIDES) {
    rows.push(
      await compare({
        title: `${side.name}: create`,
        rounds,
        ...side.create,
        baseline: () => run(side.bare, seconds, 201, () => create),
        ours: () => run(side.gate, seconds, 201, () => create),
      }),
      await compare({
        title: `${side.name}: retrieve`,
        rounds,
        ...side.retrieve,
        baseline: () => run(side.bare, seconds, 200, () => retrieve('01a1f84596a0069ad263e346')),
        ours: () => run(side.gate, seconds, 200, (server) => retrieve(server.sessionId)),
      }),
    );
  }
  return rows;
}

const SIDES = [
  {
    name: 'Fastify on memory',
    bare: 'bare-fastify.mjs',
    gate: 'gate-fastify.mjs',
    create: { atLeast: 0.3, aim: 0.45 },
    retrieve: { atLeast: 0.6, aim: 0.8 },
  },
  {
    name: 'Express on memory',
    bare: 'bare-express.mjs',
    gate: 'gate-express.mjs',
    create: { atLeast: 0.6, aim: 0.8 },
    retrieve: { atLeast: 0.8, aim: 0.9 },
  },
];

/** A fresh server each time, warmed up first: neither side inherits a heap. */
async function run(name, seconds, expect, requestFor) {
  const server = await startServer(name);
  try {
    const options = { port: server.port, connections: CONNECTIONS, request: requestFor(server), expect };
    let warm = 0;
    const request = options.request;
    await load({ ...options, request: () => request(`warm-${(warm += 1)}`), seconds: Math.min(1, seconds / 2) });
    return await load({ ...options, seconds });
  } finally {
    await server.stop();
  }
}
