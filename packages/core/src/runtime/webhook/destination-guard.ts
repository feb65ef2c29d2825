import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { DeliveryError } from '../../domain/webhook/delivery.js';

/**
 * Whether an address, as a resolver or a URL writes it, is a public Internet address.
 * IPv6 is closed unless it is global unicast; an IPv4 address inside an IPv6 one is judged as itself.
 * Anything that is not an address is not public.
 */
export function isPublicAddress(ip: string): boolean {
  const [plain = ''] = ip.split('%');
  if (isIPv4(plain)) return isPublicV4(numberOfV4(plain));
  if (!isIPv6(plain)) return false;
  const address = numberOfV6(plain);
  if (EMBEDDING_V4.some((range) => inRange(address, range))) return isPublicV4(address & V4_MASK);
  return inRange(address, GLOBAL_UNICAST_V6) && !NOT_PUBLIC_V6.some((range) => inRange(address, range));
}

interface AddressRange {
  readonly base: bigint;
  /** Bits of the address that vary within the range. */
  readonly freeBits: bigint;
}

const V4_MASK = 0xffff_ffffn;

const NOT_PUBLIC_V4 = [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches loopback on Linux
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and a cloud's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's wire server, though its number is public
  '169.254.0.0/16', // link-local, metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(rangeOf);

/** Mapped addresses and the well-known NAT64 prefix: the last 32 bits are where the packets go. */
const EMBEDDING_V4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(rangeOf);

/** Outside it: loopback, unspecified, v4-compatible, local NAT64, discard, unique local, link-local, site-local, multicast. */
const GLOBAL_UNICAST_V6 = rangeOf('2000::/3');

const NOT_PUBLIC_V6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which wraps any IPv4 address
  '3fff::/20', // documentation
].map(rangeOf);

function isPublicV4(address: bigint): boolean {
  return !NOT_PUBLIC_V4.some((range) => inRange(address, range));
}

function inRange(address: bigint, { base, freeBits }: AddressRange): boolean {
  return address >> freeBits === base >> freeBits;
}

function rangeOf(cidr: string): AddressRange {
  const [ip = '', length = ''] = cidr.split('/');
  return isIPv4(ip)
    ? { base: numberOfV4(ip), freeBits: 32n - BigInt(length) }
    : { base: numberOfV6(ip), freeBits: 128n - BigInt(length) };
}

function numberOfV4(ip: string): bigint {
  return ip.split('.').reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

/** `::` stands for as many zero groups as are missing. */
function numberOfV6(ip: string): bigint {
  const [head = '', tail] = ip.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...zeros, ...last].reduce((number, group) => (number << 16n) | group, 0n);
}

/** A dotted last group counts as two. */
function groupsOf(text: string): readonly bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const v4 = numberOfV4(group);
    return [v4 >> 16n, v4 & 0xffffn];
  });
}

/** A failure whose name in the delivery log is known where it happens. */
export class WebhookSendError extends Error {
  constructor(
    readonly deliveryError: DeliveryError,
    options?: ErrorOptions,
  ) {
    super(deliveryError, options);
  }
}

const BY_CODE: ReadonlyMap<string, DeliveryError> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['EHOSTUNREACH', 'connection_refused'],
  ['ENETUNREACH', 'connection_refused'],
  ['EADDRNOTAVAIL', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['ECONNABORTED', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['UND_ERR_SOCKET', 'connection_reset'],
  ['UND_ERR_DESTROYED', 'connection_reset'],
  ['UND_ERR_CLOSED', 'connection_reset'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
]);

/** How Node and OpenSSL name a handshake or certificate that failed. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|EPROTO)/;

/** What the delivery log calls a failure. What no list knows was an answer that could not be read. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof WebhookSendError) return error.deliveryError;
  const code = codeOf(error);
  return BY_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'invalid_response');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * The URL as the connection will see it. Throws `blocked_destination` for other schemes, for credentials, and for an
 * address that is not public in any spelling: the URL parser has turned octal, hex, decimal and short forms into plain ones.
 */
function vettedUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isPlainHttp(url)) throw new WebhookSendError('blocked_destination');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new WebhookSendError('blocked_destination');
  return url;
}

/** What a request is made of that goes to a vetted URL. */
interface VettedTarget {
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
