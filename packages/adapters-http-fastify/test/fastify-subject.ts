import { fastifyGate, gateServerOptions } from '@gateramp/adapters-http-fastify';
import { serverSubject, type SocketSubject } from '@gateramp/conformance';
import { fastify } from 'fastify';

/** The gate at the root of a Fastify server, on a socket. */
export function fastifySubject(): SocketSubject {
  return serverSubject(async (gate, mode) => {
    const mount = { gate, mode, onWarning: () => undefined };
    const app = fastify(gateServerOptions(mount));
    await app.register(fastifyGate, mount);
    await app.ready();
    return app.server;
  });
}
