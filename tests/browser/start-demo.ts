import { onTestFinished } from 'vitest';

import { ANY_PORT } from '../services/any-port.js';
import { DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import { readConfig } from '../../apps/reference-server/src/config.js';
import { openLog } from '../../apps/reference-server/src/log.js';
import { startServer } from '../../apps/reference-server/src/server.js';

export interface RunningDemo {
  /** The origin of the demo shop. */
  readonly shop: string;
  readonly sandbox: string;
  /** The origin of the hosted checkout. */
  readonly checkout: string;
  /** Advances the test clock far enough for the sandbox to settle every pending payment. */
  settle(): Promise<void>;
}

const SETTLED_AFTER_SECONDS = 60;

/** Runs the reference server like `npm start`, with demo partner and shop, in this process on free ports until the test ends. */
export async function startDemo(settings: Readonly<Record<string, string>> = {}): Promise<RunningDemo> {
  const config = readConfig(
    { ...ANY_PORT, GATE_LOG: 'silent', GATE_RATE_LIMITS: 'off', ...settings },
    { isTerminal: false },
  );
  const server = await startServer(config, await openLog('silent'));
  onTestFinished(async () => void (await server.drain()));
  const { demo, sandbox, sandboxWidget } = server.origins;
  if (!demo || !sandbox || !sandboxWidget) throw new Error('The server has not opened all of its ports.');
  return {
    shop: demo,
    sandbox,
    checkout: sandboxWidget,
    settle: async () => {
      const advanced = await fetch(`${sandbox}/v1/test_helpers/clock/advance`, {
        method: 'POST',
        headers: { authorization: `Bearer ${DEMO_KEYS.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ seconds: SETTLED_AFTER_SECONDS }),
      });
      if (!advanced.ok) throw new Error(await advanced.text());
    },
  };
}
