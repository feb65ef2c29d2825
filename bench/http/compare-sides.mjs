import { verdict } from '../lib/compare.mjs';
import { cpuSeconds } from '../lib/cpu-time.mjs';
import { load } from '../lib/load.mjs';

/** On both sides, a create costs 50 % more in the third second than in the sixth. */
const WARM_UP_SECONDS = 5;
const SLICE_SECONDS = 1;

/**
 * Loads two servers in turn, for one second each, while the other is idle. The speed of a shared machine can change by
 * half within minutes, so each slice is compared with the adjacent one. Each round starts and warms up new servers, so
 * that neither inherits a heap or is measured while it compiles.
 *
 * @typedef {{ start: () => Promise<{ pid: number, port: number, stop: () => Promise<void> }>,
 *   requestFor: (server: object) => (n: number) => string }} Side
 * @param {{ title: string, rounds: number, seconds: number, atLeast: number, aim: number, connections?: number,
 *   expect: number, baseline: Side, ours: Side, databasePid?: number }} comparison `seconds` of load per side and round;
 *   `databasePid` of a Postgres whose CPU time counts too
 */
export async function compareSides({ title, rounds, seconds, atLeast, aim, baseline, ours, ...how }) {
  const theirs = [];
  const own = [];
  for (let round = 0; round < rounds; round += 1) {
    const sides = [await openSide(baseline, how, theirs), await openSide(ours, how, own)];
    try {
      for (const side of sides) await side.load(Math.min(WARM_UP_SECONDS, seconds));
      for (let slice = 0; slice < seconds / SLICE_SECONDS; slice += 1) {
        const [first, second] = slice % 2 === 0 ? sides : sides.toReversed();
        await first.slice();
        await second.slice();
      }
    } finally {
      for (const { stop } of sides) await stop();
    }
  }
  return verdict({ title, theirs, own, atLeast, aim });
}

/** Starts a server. The result of each slice is added to `runs`. */
async function openSide({ start, requestFor }, { connections = 32, expect, databasePid = null }, runs) {
  const server = await start();
  const loaded = (seconds) => load({ port: server.port, connections, expect, request: requestFor(server), seconds });
  const spent = () => ({
    server: cpuSeconds(server.pid),
    database: databasePid === null ? 0 : cpuSeconds(databasePid),
  });
  return {
    load: loaded,
    stop: () => server.stop(),
    slice: async () => {
      const before = spent();
      const found = await loaded(SLICE_SECONDS);
      const after = spent();
      const perRequest = (what) => Math.round(((after[what] - before[what]) * 1e6) / found.answered);
      runs.push({ ...found, cpu: { server: perRequest('server'), database: perRequest('database') } });
    },
  };
}
