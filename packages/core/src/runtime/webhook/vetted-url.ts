import { isIP } from 'node:net';
import { DeliveryFault } from './delivery-fault.js';
import { isPublicAddress } from './destination-guard.js';

/**
 * The URL as the connection will see it. Throws `blocked_destination` for other schemes, for credentials, and for an
 * address that is not public in any spelling: the URL parser has turned octal, hex, decimal and short forms into plain ones.
 */
export function vettedUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isPlainHttp(url)) throw new DeliveryFault('blocked_destination');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new DeliveryFault('blocked_destination');
  return url;
}

/** What a request is made of that goes to a vetted URL. */
export interface VettedTarget {
  readonly origin: string;
  readonly path: string;
  readonly hostname: string;
}

/** Endpoints that are remembered at once; then all are vetted again. */
const TARGETS_MAX = 1_000;

/**
 * As `vettedUrl`, each text vetted once: what a literal address is does not change. What a name stands for does, and is vetted whenever a
 * connection is opened.
 */
export function vettedTargets(allowPrivate: boolean): (text: string) => VettedTarget {
  const known = new Map<string, VettedTarget>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const { origin, pathname, search, hostname } = vettedUrl(text, allowPrivate);
    const target = { origin, path: pathname + search, hostname };
    if (known.size >= TARGETS_MAX) known.clear();
    known.set(text, target);
    return target;
  };
}

function isPlainHttp(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}
