import type { RequestListener } from 'node:http';
import { type ConsoleAlarms, type ConsoleLegs, consoleListener } from '@gateramp/console';
import proxyAddr from '@fastify/proxy-addr';
import type { Gate } from '../gate.js';
import type { RateLimits } from '@gateramp/core/ports';
import { type Config, isDurable } from '../config/config.js';
import { bindsLoopbackOnly } from '../demo/has-demo-partner.js';
import type { Log } from '../log.js';
import { operatorsDoor } from '../sign-in/sign-in.js';
import { answer } from './plain-answer.js';

const HOUR_MS = 3_600_000;

interface ConsoleMount {
  readonly listener: RequestListener;
  readonly operatorLink: () => Promise<string | null>;
}

/** The origins at which browsers reach the console: on this machine also by name, to which passkeys are bound. */
export function consoleOrigins({ consoleUrl }: Pick<Config, 'consoleUrl'>, bound: string): readonly string[] {
  if (consoleUrl !== null) return [consoleUrl];
  const named = new URL(bound);
  named.hostname = 'localhost';
  return [bound, named.origin];
}

/** The console on its own listener. Operators and users of partners enter by one-time links, operators also by sign-in. */
export function consoleMount({
  gate,
  config,
  origin: bound,
  checkoutOrigin,
  signInKey,
  legs,
  alarms,
  limits,
  log,
}: {
  readonly gate: Gate;
  readonly config: Pick<
    Config,
    'host' | 'consoleUrl' | 'database' | 'dataDir' | 'oidc' | 'rateLimits' | 'trustedProxies'
  >;
  readonly origin: string;
  /** Where the page shows a branding. */
  readonly checkoutOrigin: string;
  readonly signInKey: string;
  readonly legs: ConsoleLegs | null;
  readonly alarms: ConsoleAlarms;
  readonly limits: RateLimits;
  readonly log: Log;
}): ConsoleMount {
  const origin = config.consoleUrl ?? bound;
  if (config.consoleUrl === null && !bindsLoopbackOnly(config.host))
    return { listener: unserved, operatorLink: async () => null };
  const isLocal = config.database === null && bindsLoopbackOnly(config.host);
  const trusts = proxyAddr.compile(config.trustedProxies?.split(',').map((one) => one.trim()) ?? []);
  const listener = consoleListener({
    gate,
    rateLimits: config.rateLimits === null ? null : { limits, factor: config.rateLimits },
    clientIpOf: (message) => proxyAddr(message, trusts),
    origin,
    checkoutOrigin,
    legs,
    alarms,
    // Sign-in opens a session of the console itself: this server knows no other accounts.
    authorize: () => null,
    ...operatorsDoor({
      gate,
      origin,
      oidc: config.oidc,
      key: signInKey,
      isLocal,
      hasCommand: isDurable(config),
      log: (level, fields, text) => log[level](fields, text),
      onError: (error) => log.error({ err: error }, 'A sign-in to the console failed'),
    }),
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'Request to the console failed'),
  });
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
