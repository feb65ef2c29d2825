import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { GateHandler } from './gate-handler.js';

/**
 * Routes every method to the handler, for Fastify would answer those it does not know itself. The
 * server learns their names by that, which changes nothing for routes of the host's.
 */
export function serveAnyMethod(scope: FastifyInstance, handler: GateHandler): void {
  // CONNECT never becomes a request: Node hands it to another event.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  const known = new Set(scope.supportedMethods);
  for (const method of methods) {
    if (!known.has(method)) scope.addHttpMethod(method);
  }
  for (const url of ['/', '/*']) scope.route({ method: methods, url, handler, exposeHeadRoute: false });
}
