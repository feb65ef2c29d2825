import { BODY_BYTES_MAX, requestTarget, segmentsOf, takesFile } from '@gateramp/core/http';
import type { IncomingMessage } from 'node:http';
import type { Gate, Mode } from '@gateramp/core';
import { readBody, unreadBody } from '@gateramp/core/runtime';
import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { gateHandler, mountError } from './gate-handler.js';
import { serveAnyMethod } from './serve-any-method.js';
import { isContentTypeRefusal } from './content-type-refusal.js';
import type { Warn } from './forwarding-warning.js';

/** The plugin options in addition to the prefix: the gate, its mode, and the callback for configuration warnings. */
export interface FastifyGateOptions {
  readonly gate: Pick<Gate, 'handle' | 'policy'>;
  /** The plugin serves this mode, whatever the `Host` header says. */
  readonly mode: Mode;
  /** Called once for each configuration mistake that would otherwise only show in production. */
  readonly onWarning?: Warn;
}

/**
 * Serves a gate in a Fastify 5 server: `await fastify.register(fastifyGate, { gate, mode: 'live' })`, optionally with a `prefix`. It
 * answers every request below its prefix for which the host has no route. Its body parsers and error handling are limited to the plugin.
 * Client addresses are `request.ip`: set Fastify's `trustProxy` behind a proxy.
 */
export const fastifyGate: FastifyPluginCallback<FastifyGateOptions> = (scope, options, done) => {
  // Fastify waits for `done`, and an error thrown here would end the process.
  const error = mountError(options);
  if (error !== null) {
    done(error);
    return;
  }
  const handler = gateHandler({ ...options, prefix: scope.prefix });
  takeBodiesAsBytes(scope, segmentsOf(scope.prefix), BODY_BYTES_MAX);
  scope.setErrorHandler((error, request, reply) => {
    // Fastify refuses these before any handler; the contract defines its own response.
    if (isContentTypeRefusal(error)) return handler(request, reply);
    throw error;
  });
  serveAnyMethod(scope, handler);
  serveExpectations(scope.server);
  done();
};

/**
 * Node answers an unknown `Expect` with a bare 417. Such requests are passed to the routes instead: the gate refuses them, and the host's
 * routes may ignore the header, as HTTP permits.
 */
function serveExpectations(server: FastifyInstance['server']): void {
  if (server.listenerCount('checkExpectation') > 0) return;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Accepts every content type; the contract decides which bodies are valid. */
function takeBodiesAsBytes(scope: FastifyInstance, depth: number, bytesMax: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    takesFile(request.method, requestTarget(request.raw.url ?? '/', depth).path)
      ? Promise.resolve(unreadBody(request.raw, payload))
      : readBody(request.raw, payload, bytesMax),
  );
}
