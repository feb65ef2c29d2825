import type { Socket } from 'node:net';
import { requestTarget, unreadRequest } from '@gateramp/core/http';
import { clientErrorAnswerer, SERVER_LIMITS } from '@gateramp/core/runtime';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { gateHandler, type GateMount } from './gate-handler.js';

/** Options of `fastify()` that let a gate answer requests which the framework would refuse itself, within `SERVER_LIMITS`. */
export interface GateServerOptions {
  readonly frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;
  readonly clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => void;
  readonly return503OnClosing: false;
  readonly requestTimeout: number;
  readonly http: {
    readonly headersTimeout: number;
    readonly connectionsCheckingInterval: number;
    readonly requireHostHeader: false;
  };
}

type Mount = Omit<GateMount, 'prefix'> & { readonly prefix?: string };

/**
 * For requests that Fastify and Node refuse before any plugin runs. Spread the result into the server's options, `fastify({
 * ...gateServerOptions({ gate, mode: 'live' }) })`, with the prefix of the plugin. Paths that Fastify cannot route, malformed HTTP,
 * oversized headers and requests that time out then get the contract's response; the last three, which have no path, from the first mount.
 * Errors on paths outside the prefixes remain Fastify's. Slow requests end after 30 seconds; Fastify's default is no limit.
 */
export function gateServerOptions(first: Mount, ...others: readonly Mount[]): GateServerOptions {
  const handlers = [first, ...others].map(({ prefix = '', ...mount }) => ({
    prefix,
    handle: gateHandler({ ...mount, prefix }),
  }));
  const { requestTimeout, headersTimeout, connectionsCheckingInterval } = SERVER_LIMITS;
  return {
    frameworkErrors(error, request, reply) {
      const mounted = PATH_ERRORS.has(error.code)
        ? handlers.find(({ prefix }) => isBeneath(request.raw.url ?? '', prefix))
        : undefined;
      if (mounted === undefined) void reply.send(error);
      else mounted.handle(request, reply);
    },
    clientErrorHandler: clientErrorAnswerer((refusedAs, clientIp) =>
      first.gate.handle(first.mode, unreadRequest(refusedAs, clientIp, knownPrefix(first))),
    ),
    // Fastify would refuse them with a bare response; the gate serves until it is stopped, after the server.
    return503OnClosing: false,
    requestTimeout,
    http: { headersTimeout, connectionsCheckingInterval, requireHostHeader: false },
  };
}

/** Null if it has parameters. */
function knownPrefix({ prefix = '' }: Mount): string | null {
  return /[:*]/.test(prefix) ? null : prefix;
}

const PATH_ERRORS = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);

/** Compares segments: a prefix may have parameters, and a request may have scheme and host before its path. */
function isBeneath(url: string, prefix: string): boolean {
  const segments = requestTarget(url).path.split('/');
  return prefix.split('/').every((segment, nth) => segments[nth] !== undefined && fits(segment, segments[nth]));
}

function fits(segment: string, sent: string): boolean {
  return /[:*]/.test(segment) ? sent !== '' : segment === sent;
}
