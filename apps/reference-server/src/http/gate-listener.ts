import type { RequestListener } from 'node:http';
import type { Mode } from '@gateramp/core';
import { originForm, unreadRequest, type GateHost } from '@gateramp/core/http';
import type { RefuseUnread } from '@gateramp/core/runtime';
import type { Config } from '../config/config.js';

/** The host of one mode on the configured framework; the other framework is not loaded. */
export function gateListener(framework: Config['http'], mount: GateMount): Promise<RequestListener> {
  return framework === 'express' ? onExpress(mount) : onFastify(mount);
}

interface GateMount {
  /** The gate itself, or its host of pools. */
  readonly gate: GateHost;
  readonly mode: Mode;
  readonly onWarning: (message: string) => void;
  /** The proxies whose `X-Forwarded-For` is trusted; null for none. */
  readonly trustedProxies: string | null;
}

/** Refuses a request through the gate, so that it is logged, counted and answered like any other. */
export function refuseUnread(gate: Pick<GateHost, 'handle'>, mode: Mode): RefuseUnread {
  return (fault, clientIp) => gate.handle(mode, unreadRequest(fault, clientIp));
}

async function onFastify(mount: GateMount): Promise<RequestListener> {
  const [{ fastify }, { fastifyGate, gateServerOptions }] = await Promise.all([
    import('fastify'),
    import('@gateramp/adapters-http-fastify'),
  ]);
  const app = fastify({ ...gateServerOptions(mount), trustProxy: mount.trustedProxies ?? false });
  await app.register(fastifyGate, mount);
  await app.ready();
  return (request, response) => app.routing(request, response);
}

async function onExpress({ gate, mode, onWarning, trustedProxies }: GateMount): Promise<RequestListener> {
  const [{ default: express }, { expressGate }] = await Promise.all([
    import('express'),
    import('@gateramp/adapters-http-express'),
  ]);
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies ?? false);
  app.use(expressGate(gate, { mode, onWarning }));
  return (request, response) => {
    // Express finds no route for an address with an invalid host.
    request.url = originForm(request.url ?? '/');
    void app(request, response);
  };
}
