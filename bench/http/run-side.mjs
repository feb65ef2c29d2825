import { load } from '../lib/load.mjs';
import { startServer } from '../lib/server.mjs';

/** A fresh server each time, warmed up first: neither side inherits a heap, and neither is measured while it compiles. */
export async function runSide(script, { seconds, connections = 32, expect, requestFor, env }) {
  const server = await startServer(script, env);
  try {
    const options = { port: server.port, connections, expect };
    await load({ ...options, request: requestFor(server), seconds: Math.min(2, seconds) });
    return await load({ ...options, request: requestFor(server), seconds });
  } finally {
    await server.stop();
  }
}
