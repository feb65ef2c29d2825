import type { RequestListener } from 'node:http';
import { consoleListener } from '@gateramp/console';
import type { Gate } from '@gateramp/core';
import type { Config } from '../config.js';
import { bindsLoopbackOnly } from '../demo/has-demo-partner.js';
import type { Log } from '../log.js';
import { answer } from './plain-answer.js';

const HOUR_MS = 3_600_000;

interface ConsoleMount {
  readonly listener: RequestListener;
  readonly operatorLink: () => Promise<string | null>;
}

/** The console on its own listener. Operators and users of partners enter by one-time links. */
export function consoleMount({
  gate,
  config,
  origin: bound,
  log,
}: {
  readonly gate: Gate;
  readonly config: Pick<Config, 'host' | 'consoleUrl' | 'database'>;
  readonly origin: string;
  readonly log: Log;
}): ConsoleMount {
  const origin = config.consoleUrl ?? bound;
  if (config.consoleUrl === null && !bindsLoopbackOnly(config.host))
    return { listener: unserved, operatorLink: async () => null };
  const listener = consoleListener({
    gate,
    origin,
    // Nobody is an operator without a link: this server knows no accounts.
    authorize: () => null,
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'Request to the console failed'),
  });
  const isLocal = config.database === null && bindsLoopbackOnly(config.host);
  return {
    listener,
    operatorLink: async () => {
      if (!isLocal) return null;
      const { code } = await gate.console.invite(null, { role: 'admin', actor: 'local operator', ttl: HOUR_MS });
      return `${origin}/#code=${code}`;
    },
  };
}

/** Without TLS everyone on the network could read the cookie of a session. */
const unserved: RequestListener = (_, response) =>
  answer(
    response,
    503,
    'text/plain',
    'The console is served on loopback addresses and over https only. Set GATE_CONSOLE_URL to its https origin.\n',
  );
