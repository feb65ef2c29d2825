import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { GateHandler } from './gate-handler.js';

/**
 * Routes every method to the handler, since Fastify would answer unknown methods itself. Registers their names with the server,
 * which does not affect the host's routes.
 */
export function serveAnyMethod(scope: FastifyInstance, handler: GateHandler): void {
  // CONNECT never becomes a request: Node emits a separate event for it.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  const known = new Set(scope.supportedMethods);
  for (const method of methods) {
    if (!known.has(method)) scope.addHttpMethod(method);
  }
  for (const url of ['/', '/*']) scope.route({ method: methods, url, handler, exposeHeadRoute: false });
}
