import { MODES, type Mode } from '../domain/mode.js';
import type { Policy } from '../domain/policy.js';
import { bridgeFetch, type FetchOptions } from './fetch.js';
import type { HttpRequest, HttpResponse } from './message.js';

/** The interface that HTTP adapters mount: the wire contract of one product, for one mode per call. */
export interface GateHost {
  /** The modes in which it can be mounted. */
  readonly modes: readonly Mode[];
  /** Serves the wire contract of one mode. Never throws. */
  handle(mode: Mode, request: HttpRequest): Promise<HttpResponse>;
  /** Serves Fetch requests, for Hono, Next, Bun, Deno and tests without a socket. Rejects with a `TypeError` on invalid options. */
  fetch(request: Request, options: FetchOptions): Promise<Response>;
  readonly policy: Policy;
}

export function gateHost(policy: Policy, handle: GateHost['handle'], modes: readonly Mode[] = MODES): GateHost {
  const host = { modes, handle, policy };
  return { ...host, fetch: (request, options) => bridgeFetch(host, request, options) };
}
