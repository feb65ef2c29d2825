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

function isPlainHttp(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}
