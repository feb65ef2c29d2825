import { BODY_BYTES_MAX, requestTarget, segmentsOf, takesFile } from '@gateramp/core/http';
import type { IncomingMessage } from 'node:http';
import type { Gate, Mode } from '@gateramp/core';
import { readBody, unreadBody } from '@gateramp/core/runtime';
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { gateHandler, mountError } from './gate-handler.js';
import { serveAnyMethod } from './serve-any-method.js';
import { isContentTypeRefusal } from './content-type-refusal.js';
import type { Warn } from './forwarding-warning.js';

/** What `fastify.register` takes in addition to the prefix: the gate, its mode, and who is notified of a faulty set-up. */
export interface FastifyGateOptions {
  readonly gate: Pick<Gate, 'handle' | 'policy'>;
  /** The plugin is the host of this mode, whatever a `Host` header says. */
  readonly mode: Mode;
  /** Called once with each mistake of configuration that would otherwise show only in production. */
  readonly onWarning?: Warn;
}

/**
 * Serves a gate in a Fastify 5 server: `await fastify.register(fastifyGate, { gate, mode: 'live' })`,
 * with a `prefix` if wanted. It answers everything beneath its prefix that the host has no route for.
 * Its body parsing and its error handling stay inside the plugin. Client addresses are
 * `request.ip`: set Fastify's `trustProxy` behind a proxy.
 */
export const fastifyGate: FastifyPluginCallback<FastifyGateOptions> = (scope, options, done) => {
  // Fastify waits for `done` and lets what is thrown end the process.
  const error = mountError(options);
  if (error !== null) {
    done(error);
    return;
  }
  const handler = gateHandler({ ...options, prefix: scope.prefix });
  takeBodiesAsBytes(scope, segmentsOf(scope.prefix), BODY_BYTES_MAX);
  scope.setErrorHandler((error, request, reply) => {
    // Fastify refuses these before any handler; the contract has an answer of its own to them.
    if (isContentTypeRefusal(error)) return handler(request, reply);
    throw error;
  });
  serveAnyMethod(scope, handler);
  serveExpectations(scope.server);
  done();
};

/**
 * Node answers an `Expect` that it does not know with a bare 417. It is handed to the routes instead: the gate's refuse it, and the
 * host's may, as HTTP has it, pass over it.
 */
function serveExpectations(server: FastifyInstance['server']): void {
  if (server.listenerCount('checkExpectation') > 0) return;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Every content type alike; what the body may be is the contract's to say. */
function takeBodiesAsBytes(scope: FastifyInstance, depth: number, bytesMax: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    takesFile(request.method, requestTarget(request.raw.url ?? '/', depth).path)
      ? Promise.resolve(unreadBody(request.raw, payload))
      : readBody(request.raw, payload, bytesMax),
  );
}
