import { compare } from '../lib/compare.mjs';
import { startServer } from '../lib/server.mjs';
import { creates, retrieves } from './requests.mjs';
import { runSide } from './run-side.mjs';

/** The HTTP contract on the memory store, against a bare JSON route of the same framework; 32 connections. */
export async function benchMemory({ rounds, seconds }) {
  const rows = [];
  for (const side of SIDES) {
    const created = { seconds, expect: 201, requestFor: creates };
    rows.push(
      await compare({
        title: `${side.name}: create`,
        rounds,
        ...side.create,
        baseline: () => runSide(() => startServer(side.bare), created),
        ours: () => runSide(() => startServer(side.gate), created),
      }),
      await compare({
        title: `${side.name}: retrieve`,
        rounds,
        ...side.retrieve,
        baseline: () =>
          runSide(() => startServer(side.bare), {
            seconds,
            expect: 200,
            requestFor: () => retrieves('01a1f84596a0069ad263e346'),
          }),
        ours: () =>
          runSide(() => startServer(side.gate), {
            seconds,
            expect: 200,
            requestFor: (server) => retrieves(server.sessionId),
          }),
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
