import { onTestFinished } from 'vitest';

import { readConfig } from '../../apps/reference-server/src/config.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer } from '../../apps/reference-server/src/server.js';

export interface RunningDemo {
  /** Of the shop. */
  readonly shop: string;
  readonly sandbox: string;
  /** Of the hosted checkout. */
  readonly checkout: string;
}

const ANY_PORT = Object.fromEntries(
  ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'OPS', 'DEMO'].map((name) => [`GATE_${name}_PORT`, '0']),
);

/** The reference server as `npm start` runs it, demo partner and shop and all, in this process and on ports of its own, until the test ends. */
export async function startDemo(settings: Readonly<Record<string, string>> = {}): Promise<RunningDemo> {
  const config = readConfig(
    { ...ANY_PORT, GATE_LOG: 'silent', GATE_RATE_LIMITS: 'off', ...settings },
    { isTerminal: false },
  );
  const server = await startServer(config, await openLog('silent'));
  onTestFinished(async () => void (await server.drain()));
  const { demo, sandbox, sandboxWidget } = server.origins;
  if (!demo || !sandbox || !sandboxWidget) throw new Error('The server has not opened all of its ports.');
  return { shop: demo, sandbox, checkout: sandboxWidget };
}
