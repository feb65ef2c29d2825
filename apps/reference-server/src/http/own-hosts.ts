import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { answer } from './plain-answer.js';

/** Under which names and addresses a listener may be called. */
export interface OwnHosts {
  /** `GATE_HOST`, what the listener is bound to. */
  readonly bound: string;
  /** Further names of this machine, in lower case. */
  readonly names: readonly string[];
}

/**
 * For listeners without a password. A page elsewhere may let its own name point at this machine, and then its scripts read what is
 * served here (DNS rebinding); the `Host` header shows it, for it is the page's name. The API needs no such check: its keys are asked for.
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

/** No `Host` is no browser: HTTP/1.0 probes send none. */
export function isOwnHost(header: string | undefined, { bound, names }: OwnHosts): boolean {
  if (header === undefined) return true;
  const host = hostIn(header);
  if (host === null) return false;
  if (isLoopback(host) || host === bound.toLowerCase() || names.includes(host)) return true;
  // On every address each of this machine's is its own, and an address cannot be made to point elsewhere.
  return (bound === '0.0.0.0' || bound === '::') && isIP(host) !== 0;
}

/** Name or address in lower case, without port, brackets or the root's dot; null for anything else. */
function hostIn(header: string): string | null {
  const [, bracketed, plain] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? [];
  return bracketed ?? plain ?? null;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
