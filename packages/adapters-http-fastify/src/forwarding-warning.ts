import type { FastifyRequest } from 'fastify';

export type Warn = (message: string) => void;

/** Warns once: behind an untrusted proxy, all clients share the proxy's rate limits. */
export function forwardingWarning(warn: Warn): (request: FastifyRequest) => void {
  let isKnown = false;
  return (request) => {
    if (isKnown || request.raw.headers['x-forwarded-for'] === undefined) return;
    isKnown = true;
    // Fastify sets `ips` only if it trusts a proxy, and computes it again on every access.
    if (request.ips !== undefined) return;
    warn(
      'A request carries X-Forwarded-For, but Fastify\'s "trustProxy" is off: all clients behind the proxy share one rate limit. ' +
        'If the proxy is yours, create the server with trustProxy set to its address or hop count.',
    );
  };
}

export function emitWarning(message: string): void {
  process.emitWarning(message, 'GaterampWarning');
}
