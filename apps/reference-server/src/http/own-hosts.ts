import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { answer } from './plain-answer.js';

/** The names and addresses under which a listener may be called. */
export interface OwnHosts {
  /** `GATE_HOST`, the address that the listener is bound to. */
  readonly bound: string;
  /** Additional names of this machine, in lower case. */
  readonly names: readonly string[];
}

/**
 * Protects listeners without a password against DNS rebinding: another site can point its own name at this machine to let its scripts read
 * the responses, but the `Host` header then contains that name. The API needs no such check, since it requires keys.
 */
export function ownHostsOnly(own: OwnHosts, handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isOwnHost(request.headers.host, own)) handler(request, response);
    else
      answer(
        response,
        421,
        'text/plain',
        'Unknown host name. Use the address of this server, or add the name to GATE_HOST_NAMES.\n',
      );
  };
}

/** Browsers always send a `Host`; HTTP/1.0 probes may not. */
export function isOwnHost(header: string | undefined, { bound, names }: OwnHosts): boolean {
  if (header === undefined) return true;
  const host = hostIn(header);
  if (host === null) return false;
  if (isLoopback(host) || host === bound.toLowerCase() || names.includes(host)) return true;
  // A listener on all addresses accepts every address of this machine, and an IP address cannot be rebound.
  return (bound === '0.0.0.0' || bound === '::') && isIP(host) !== 0;
}

/** The name or address in lower case, without port, brackets or trailing dot; null if invalid. */
function hostIn(header: string): string | null {
  const [, bracketed, plain] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? [];
  return bracketed ?? plain ?? null;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
