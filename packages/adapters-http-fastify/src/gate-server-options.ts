import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { gateHandler, type GateMount } from './gate-handler.js';

export interface GateServerOptions {
  readonly frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;
  readonly clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

/**
 * For what Fastify answers before any plugin is asked: spread into the server's options,
 * `fastify({ ...gateServerOptions({ gate, mode: 'live' }) })`, with the prefix that the plugin is
 * given. A path whose percent-encoding is broken then gets the contract's answer, and bytes that
 * are not HTTP get Node's own bare one. Errors outside the prefixes stay Fastify's.
 */
export function gateServerOptions(...mounts: readonly (Omit<GateMount, 'prefix'> & { readonly prefix?: string })[]): GateServerOptions {
  const handlers = mounts.map(({ prefix = '', ...mount }) => ({ prefix, handle: gateHandler({ ...mount, prefix }) }));
  return {
    frameworkErrors(error, request, reply) {
      const mounted = error.code === 'FST_ERR_BAD_URL' ? handlers.find(({ prefix }) => isBeneath(request.raw.url ?? '', prefix)) : undefined;
      if (mounted === undefined) void reply.send(error);
      else mounted.handle(request, reply);
    },
    clientErrorHandler(error, socket) {
      if (socket.destroyed || error.code === 'ECONNRESET') return;
      if (socket.writable) socket.end(`HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
      else socket.destroy(error);
    },
  };
}

/** What Node itself answers; nothing else is known of such a request. */
const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function isBeneath(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && /^$|^[/?]/.test(url.slice(prefix.length));
}
