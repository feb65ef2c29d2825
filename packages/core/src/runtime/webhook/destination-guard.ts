import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, isIPv4, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { DeliveryError } from '../../domain/webhook/delivery.js';

/**
 * Whether an address, as written by a resolver or in a URL, is a public Internet address. IPv6 addresses must be global unicast; an IPv4
 * address embedded in an IPv6 one is checked itself. Other text is not public.
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
  /** Number of variable bits in the range. */
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

/** Mapped addresses and the well-known NAT64 prefix: packets go to the IPv4 address in the last 32 bits. */
const EMBEDDING_V4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(rangeOf);

/** Excludes loopback, unspecified, v4-compatible, local NAT64, discard, unique local, link-local, site-local and multicast. */
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

/** Expands `::` to the missing zero groups. */
function numberOfV6(ip: string): bigint {
  const [head = '', tail] = ip.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...zeros, ...last].reduce((number, group) => (number << 16n) | group, 0n);
}

/** A dotted last group counts as two groups. */
function groupsOf(text: string): readonly bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const v4 = numberOfV4(group);
    return [v4 >> 16n, v4 & 0xffffn];
  });
}

/** An error with its name for the delivery log. */
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

/** Codes of Node and OpenSSL for failed handshakes and certificates. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|EPROTO)/;

/** The delivery log's name of an error. Unknown errors are responses that could not be read. */
export function deliveryErrorOf(error: unknown): DeliveryError {
  if (error instanceof WebhookSendError) return error.deliveryError;
  const code = codeOf(error);
  if (code === null) return 'invalid_response';
  return BY_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'invalid_response');
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/**
 * Parses the URL as the connection will use it. Throws `blocked_destination` for other schemes, for credentials, and for addresses that are
 * not public; the URL parser has normalized octal, hexadecimal, decimal and short forms.
 */
function checkedUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isPlainHttp(url)) throw new WebhookSendError('blocked_destination');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new WebhookSendError('blocked_destination');
  return url;
}

/** The parts of a request to a checked URL. */
interface CheckedTarget {
  readonly origin: string;
  readonly path: string;
  readonly hostname: string;
}

/** Maximum number of cached endpoints; then the cache is cleared. */
const TARGETS_MAX = 1_000;

/**
 * Like `checkedUrl`, cached per text, because the result for a literal address never changes. Names can resolve to other addresses, so they
 * are checked whenever a connection is opened.
 */
export function checkedTargets(allowPrivate: boolean): (text: string) => CheckedTarget {
  const known = new Map<string, CheckedTarget>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const { origin, pathname, search, hostname } = checkedUrl(text, allowPrivate);
    const target = { origin, path: pathname + search, hostname };
    if (known.size >= TARGETS_MAX) known.clear();
    known.set(text, target);
    return target;
  };
}

function isPlainHttp(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

interface DestinationRules {
  /** Allows loopback and private targets, for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** All addresses of a host name. Rejects if there is no answer. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
}

/** Ends a connection attempt whose delivery has already timed out. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Time for each address but the last of a host with several; Node's default of 250 ms is too short for intercontinental connections. */
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * Opens sockets only to checked addresses. Every look-up result is checked, including cached ones, and the socket gets exactly those
 * addresses, so that a second, different DNS answer cannot be used. The host name, `Host` and SNI stay unchanged. Pooled sockets keep the
 * address they were opened to.
 */
export function guardedConnector({ allowPrivate, resolve }: DestinationRules): buildConnector.connector {
  const allowed = (ip: string): boolean => allowPrivate || isPublicAddress(ip);
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: checkedLookup(resolve, allowed),
  };
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      // Not `socket === null`: contrary to its types, undici omits the socket on failure.
      if (error !== null) return callback(error, null);
      // Finally checks the socket's actual peer, whatever was looked up.
      if (socket.remoteAddress === undefined || allowed(socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new WebhookSendError('blocked_destination'), null);
    });
  };
}

/** Node looks up names only; literal addresses in a URL are checked by `checkedUrl`. */
function checkedLookup(resolve: DestinationRules['resolve'], allowed: (ip: string) => boolean): LookupFunction {
  return (hostname, _options, callback) => {
    checkedAddresses(hostname, resolve, allowed).then(
      // `autoSelectFamily` always requests all addresses.
      (addresses) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error: WebhookSendError) => callback(error, []),
    );
  };
}

/** A single private address refuses the name, because the sender cannot choose which address is used. */
async function checkedAddresses(
  hostname: string,
  resolve: DestinationRules['resolve'],
  allowed: (ip: string) => boolean,
): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new WebhookSendError('dns', { cause });
  });
  if (addresses.length === 0) throw new WebhookSendError('dns');
  if (!addresses.every(allowed)) throw new WebhookSendError('blocked_destination');
  return addresses;
}

/** Why a text is not the address of a proxy; null if it is. Never repeats it, since it may contain a password. */
export function proxyProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === '/';
  if (!isAddress)
    return 'must be the address of an HTTP proxy such as http://proxy.internal:3128, without path and query';
  try {
    decodeURIComponent(url.username + url.password);
    return null;
  } catch {
    return 'must have its user name and password percent-encoded';
  }
}

/**
 * Opens sockets through a proxy, by `CONNECT` to checked addresses: a proxy that resolved the name itself could get another, private
 * address.
 */
export function tunnelConnector(
  address: string,
  { allowPrivate, resolve }: DestinationRules,
): buildConnector.connector {
  const allowed = (ip: string): boolean => allowPrivate || isPublicAddress(ip);
  const problem = proxyProblem(address);
  if (problem !== null) throw new TypeError(`The proxy ${problem}.`);
  const proxy = new URL(address);
  const secure = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const open = async (hostname: string, port: string): Promise<Socket> => {
    const addresses = isIP(hostname) === 0 ? await checkedAddresses(hostname, resolve, allowed) : [hostname];
    // For all addresses together: a receiver's name may have any number of them.
    const endsAt = performance.now() + CONNECT_TIMEOUT_MS;
    let failure: unknown = new WebhookSendError('timeout');
    for (const address of addresses) {
      const left = endsAt - performance.now();
      if (left <= 0) break;
      try {
        return await tunnel(proxy, { address, port }, left);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return (target, callback) => {
    const isSecure = target.protocol === 'https:';
    open(target.hostname, target.port === '' ? (isSecure ? '443' : '80') : target.port).then(
      (socket) => (isSecure ? secure({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}

/** Answers of proxies that could not reach the receiver; all others are about the proxy itself. */
const UNREACHED: readonly (number | undefined)[] = [502, 503, 504];

interface Destination {
  readonly address: string;
  readonly port: string;
}

/** Ends within `limitMs`, however slowly the proxy answers. */
function tunnel(proxy: URL, { address, port }: Destination, limitMs: number): Promise<Socket> {
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? secureRequest : plainRequest)({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(proxy.port !== '' && { port: proxy.port }),
      path: authority,
      agent: false,
      headers: {
        host: authority,
        ...(user !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
      },
    });
    const timer = setTimeout(() => request.destroy(new WebhookSendError('timeout')), limitMs);
    request.once('close', () => clearTimeout(timer));
    request.once('connect', ({ statusCode }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      } else {
        socket.destroy();
        reject(new WebhookSendError(UNREACHED.includes(statusCode) ? 'connection_refused' : 'proxy'));
      }
    });
    request.once('error', (error) =>
      reject(error instanceof WebhookSendError ? error : new WebhookSendError('proxy', { cause: error })),
    );
    request.end();
  });
}
