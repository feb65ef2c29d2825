import { cpuSeconds } from '../lib/cpu-time.mjs';
import { load } from '../lib/load.mjs';

/**
 * A fresh server each time, warmed up first: neither side inherits a heap, and neither is measured while it compiles.
 *
 * @param {() => Promise<{ pid: number, port: number, stop: () => Promise<void> }>} start
 * @param {{ seconds: number, connections?: number, expect: number, requestFor: (server: object) => (n: number) => string,
 *   databasePid?: number }} options `databasePid` is of a Postgres whose time counts too
 */
export async function runSide(start, { seconds, connections = 32, expect, requestFor, databasePid = null }) {
  const server = await start();
  const spent = () => ({
    server: cpuSeconds(server.pid),
    database: databasePid === null ? 0 : cpuSeconds(databasePid),
  });
  try {
    const options = { port: server.port, connections, expect };
    await load({ ...options, request: requestFor(server), seconds: Math.min(2, seconds) });
    const before = spent();
    const found = await load({ ...options, request: requestFor(server), seconds });
    const after = spent();
    const perRequest = (what) => Math.round(((after[what] - before[what]) * 1e6) / found.answered);
    return { ...found, cpu: { server: perRequest('server'), database: perRequest('database') } };
  } finally {
    await server.stop();
  }
}
