import { onTestFinished } from 'vitest';

import { advanceClock } from '../services/advance-clock.js';
import { ANY_PORT } from '../services/any-port.js';
import { DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import { readConfig } from '../../apps/reference-server/src/config/config.js';
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
    settle: () => advanceClock(sandbox, DEMO_KEYS.secret, SETTLED_AFTER_SECONDS),
  };
}
