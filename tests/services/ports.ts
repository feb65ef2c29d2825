import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/** Below the system's ephemeral ports, so that ports are not taken before a server listens, or while it restarts. */
const LOWEST = 10_000;
/** Each thread of each run draws from its own ports: another one must not take the port of a server that is being restarted. */
const PORTS_OF_A_THREAD = 900;
const THREADS_MAX = 8;
const RUNS_MAX = 3;
const PORTS_OF_A_RUN = THREADS_MAX * PORTS_OF_A_THREAD;
/** A run holds one of the ports from here, one for each run. */
const CLAIMS = LOWEST + RUNS_MAX * PORTS_OF_A_RUN;

/** Where the ports that were given last end, by the lowest port of their range. */
const given = new Map<number, number>();

/** The actual port of a server that was started with port 0. */
export function portOf(server: { address: Server['address'] }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}

/**
 * Gives this run ports of its own, by its number in GATERAMP_TEST_RUN, until `release`. With more runs on this machine than there are
 * numbers, further ones share the ports of the first.
 */
export async function claimPorts(claims = CLAIMS): Promise<{ readonly run: number; readonly release: () => void }> {
  for (let run = 0; run < RUNS_MAX; run += 1) {
    const server = createServer();
    const isOurs = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(claims + run, '127.0.0.1', () => resolve(true));
    });
    if (isOurs) return { run, release: () => server.close() };
  }
  return { run: 0, release: () => undefined };
}

/**
 * For a server that must know its port before it listens, or restart on the same one. Returns a port again only after all others of
 * this thread, which a thread that runs many files needs.
 */
export async function freePort(): Promise<number> {
  // Outside of vitest's threads neither is set.
  const run = Number(process.env.GATERAMP_TEST_RUN ?? 0);
  const thread = Number(process.env.VITEST_POOL_ID ?? 0) % THREADS_MAX;
  const lowest = LOWEST + run * PORTS_OF_A_RUN + thread * PORTS_OF_A_THREAD;
  for (let tries = 0; tries < PORTS_OF_A_THREAD; tries += 1) {
    const at = given.get(lowest) ?? randomInt(PORTS_OF_A_THREAD);
    given.set(lowest, (at + 1) % PORTS_OF_A_THREAD);
    if (await isFree(lowest + at)) return lowest + at;
  }
  throw new Error(`No free port from ${lowest} to ${lowest + PORTS_OF_A_THREAD}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether a process accepts connections on this port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
