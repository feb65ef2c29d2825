import { startServer } from '../lib/server.mjs';
import { compareSides } from './compare-sides.mjs';
import { creates, retrieves } from './requests.mjs';

/** Compares the HTTP contract on the memory store with a bare JSON route of the same framework, over 32 connections. */
export async function benchMemory({ rounds, seconds }) {
  const rows = [];
  for (const side of SIDES) {
    const bare = () => startServer(side.bare);
    const gate = () => startServer(side.gate);
    rows.push(
      await compareSides({
        title: `${side.name}: create`,
        ...{ rounds, seconds, expect: 201, ...side.create },
        baseline: { start: bare, requestFor: creates },
        ours: { start: gate, requestFor: creates },
      }),
      await compareSides({
        title: `${side.name}: retrieve`,
        ...{ rounds, seconds, expect: 200, ...side.retrieve },
        baseline: { start: bare, requestFor: () => retrieves('01a1f84596a0069ad263e346') },
        ours: { start: gate, requestFor: ({ sessionId }) => retrieves(sessionId) },
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
