import { verdict } from '../lib/compare.mjs';
import { cpuSeconds } from '../lib/cpu-time.mjs';
import { load } from '../lib/load.mjs';

/** A create costs both sides half as much again in their third second as in their sixth. */
const WARM_UP_SECONDS = 5;
const SLICE_SECONDS = 1;

/**
 * Loads two servers in turn, a second each, while the other is idle: machines that are shared change their speed by half
 * within minutes, and so each slice is compared with the one next to it. Fresh servers each round, warmed up first:
 * neither inherits a heap, and neither is measured while it compiles.
 *
 * @typedef {{ start: () => Promise<{ pid: number, port: number, stop: () => Promise<void> }>,
 *   requestFor: (server: object) => (n: number) => string }} Side
 * @param {{ title: string, rounds: number, seconds: number, atLeast: number, aim: number, connections?: number,
 *   expect: number, baseline: Side, ours: Side, databasePid?: number }} comparison `seconds` of load a side and round;
 *   `databasePid` is of a Postgres whose time counts too
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

/** A server that runs, and what each of its slices found is added to `runs`. */
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
