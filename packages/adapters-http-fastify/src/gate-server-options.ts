import type { Socket } from 'node:net';
import { requestTarget, unreadRequest } from '@gateramp/core/http';
import { clientErrorAnswerer, SERVER_LIMITS } from '@gateramp/core/runtime';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { gateHandler, type GateMount } from './gate-handler.js';

/** Options of `fastify()` with which a gate answers what the framework would refuse by itself, within `SERVER_LIMITS`. */
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
 * For what Fastify and Node answer before any plugin is asked: spread into the server's options,
 * `fastify({ ...gateServerOptions({ gate, mode: 'live' }) })`, with the prefix that the plugin is given. Paths that Fastify cannot
 * route, bytes that are not HTTP, headers that are too large and requests that do not come in time then get the contract's answer,
 * the last three from the first mount, for they have no path. Errors of paths outside the prefixes stay Fastify's. Slow requests
 * end after 30 seconds, where Fastify by itself waits for ever.
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
    // Fastify would refuse them bare; the gate serves until it is stopped, after the server.
    return503OnClosing: false,
    requestTimeout,
    http: { headersTimeout, connectionsCheckingInterval, requireHostHeader: false },
  };
}

/** Null when it is another for each request. */
function knownPrefix({ prefix = '' }: Mount): string | null {
  return /[:*]/.test(prefix) ? null : prefix;
}

const PATH_ERRORS = new Set(['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH']);

/** By segments, for a prefix may have parameters, and a request may name scheme and host before its path. */
function isBeneath(url: string, prefix: string): boolean {
  const segments = requestTarget(url).path.split('/');
  return prefix.split('/').every((segment, nth) => segments[nth] !== undefined && fits(segment, segments[nth]));
}

function fits(segment: string, sent: string): boolean {
  return /[:*]/.test(segment) ? sent !== '' : segment === sent;
}
