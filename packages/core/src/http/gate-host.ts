import { MODES, type Mode } from '../domain/mode.js';
import type { Policy } from '../domain/policy.js';
import { bridgeFetch, type FetchOptions } from './fetch.js';
import type { HttpRequest, HttpResponse } from './message.js';

/** What HTTP adapters mount: the wire contract of one product, as the host of one mode each time. */
export interface GateHost {
  /** The modes it can be mounted in. */
  readonly modes: readonly Mode[];
  /** The wire contract on the host of one mode. Never throws. */
  handle(mode: Mode, request: HttpRequest): Promise<HttpResponse>;
  /** The same over Fetch, for Hono, Next, Bun, Deno and tests without a socket. Rejects with a `TypeError` if the options make no sense. */
  fetch(request: Request, options: FetchOptions): Promise<Response>;
  readonly policy: Policy;
}

export function gateHost(policy: Policy, handle: GateHost['handle'], modes: readonly Mode[] = MODES): GateHost {
  const host = { modes, handle, policy };
  return { ...host, fetch: (request, options) => bridgeFetch(host, request, options) };
}
