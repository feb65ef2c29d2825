import { createServer } from 'node:net';

/** Below the range that outgoing connections draw from: a port of ours stays free for us while its process is being restarted. */
const lowest = 18_000;
const highest = 31_000;
const triesMax = 200;

const taken = new Set<number>();

/** A free port that this run will ask for again and again. */
export async function fixedPort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (taken.has(port) || !(await isFree(port))) continue;
    taken.add(port);
    return port;
  }
  throw new Error(`No free port from ${lowest} to ${highest}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
