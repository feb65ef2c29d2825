import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/edge.js';
import { deliveryErrorOf, WebhookSendError, isPublicAddress, checkedTargets } from './destination-guard.js';
import {
  LOOKUP_LIMITS,
  type LookupLimits,
  NameLookups,
  type LookupSubscription,
  type ResolveHost,
  type ResolverOptions,
  systemResolve,
} from './name-lookups.js';

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

/**
 * At most `bytesMax` bytes of UTF-8 as text that every store accepts: no NUL, no lone surrogate, no partial character at the cut. Decoded
 * twice, because an invalid byte becomes a three-byte replacement character and the text may grow past the limit.
 */
export function keptText(bytes: Uint8Array, bytesMax: number): string {
  if (bytes.length === 0) return '';
  const text = decode(bytes.subarray(0, bytesMax)).replaceAll('\0', '');
  return decode(new TextEncoder().encode(text).subarray(0, bytesMax));
}

/** With `stream`, an incomplete last character is dropped instead of replaced. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Bytes of a response that are stored with the attempt, and bytes read before the connection is closed. */
const KEPT_BYTES = 1024;
const READ_BYTES_MAX = 64 * 1024;

/** The status decides the result, so a body that takes longer than this is cut off. */
const BODY_GRACE_MS = 1_000;

/**
 * One request as reported by undici, from dispatch to response. It ends within `timeoutMs` whatever the receiver does, even without a
 * connection. The status decides and the body is optional (spec: Delivery rules 1): once there is a status, the result is a response
 * however the body ends. Bodies that end in time are read completely, so that the connection can be reused; only the stored part is kept in
 * memory.
 *
 * Uses undici's older handler methods, which do not parse headers into objects that would be unused.
 */
class PostHandler implements Dispatcher.DispatchHandler {
  private abort: ((reason: Error) => void) | null = null;
  private status: number | null = null;
  private kept: Buffer[] | null = null;
  private read = 0;
  private timer: NodeJS.Timeout;
  private endsAt: number;
  private hasEnded = false;

  constructor(
    timeoutMs: number,
    private readonly lookup: LookupSubscription,
    private readonly resolve: (answer: WebhookAnswer) => void,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(() => this.cut(), timeoutMs);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    // It timed out while waiting for a connection, and must not be sent after its end was reported.
    if (this.hasEnded) abort(new WebhookSendError('timeout'));
  }

  onHeaders(status: number): boolean {
    if (status < 200 || this.hasEnded) return true;
    this.status = status;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.cut(), Math.min(BODY_GRACE_MS, this.endsAt - performance.now()));
    return true;
  }

  onData(chunk: Buffer): boolean {
    const room = KEPT_BYTES - this.read;
    // Copied, because a chunk is part of a larger buffer that would stay in memory.
    if (room > 0) (this.kept ??= []).push(Buffer.from(chunk.subarray(0, room)));
    this.read += chunk.length;
    if (this.read >= READ_BYTES_MAX) this.cut();
    return true;
  }

  onComplete(): void {
    this.end(null);
  }

  onError(error: unknown): void {
    this.end(error);
  }

  /** Ends the request from this side. */
  private cut(): void {
    const hasNoAddress = this.abort === null && this.lookup.isPending();
    const reason = new WebhookSendError(hasNoAddress ? 'dns' : 'timeout');
    this.end(reason);
    this.abort?.(reason);
  }

  private end(error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.timer);
    this.lookup.end();
    this.resolve(this.status === null ? refusalOf(error) : this.answerOf(this.status));
  }

  private answerOf(status: number): WebhookAnswer {
    return {
      responseStatus: status,
      responseBody: this.kept === null ? '' : keptText(Buffer.concat(this.kept), KEPT_BYTES),
      error: status >= 300 && status < 400 ? 'redirect_not_followed' : null,
    };
  }
}

/** The result without a response. */
function refusalOf(error: unknown): WebhookAnswer {
  return { responseStatus: null, responseBody: null, error: deliveryErrorOf(error) };
}

/** Destinations and limits of the sender. */
export interface UndiciWebhookSenderOptions {
  /** Allows loopback and private targets, for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** Name servers and hosts file; by default the system's. */
  readonly resolver?: ResolverOptions;
  /** Replaces the resolver. */
  readonly resolve?: ResolveHost;
  /** Maximum number of connections; by default the default policy's number of concurrent attempts. */
  readonly attemptsInFlightMax?: number;
  /** Limits of look-ups, for tests. */
  readonly lookups?: Partial<LookupLimits>;
}

/**
 * Posts webhooks with keep-alive. Never connects to a private address (unless allowed), never follows redirects, and always ends within the
 * timeout.
 */
export function undiciWebhookSender({
  allowPrivate,
  resolver = {},
  resolve: resolveHost = systemResolve(resolver),
  attemptsInFlightMax = DEFAULT_POLICY.attemptsInFlightMax,
  lookups: lookupLimits = {},
}: UndiciWebhookSenderOptions): WebhookSender {
  const lookups = new NameLookups(resolveHost, { ...LOOKUP_LIMITS, ...lookupLimits });
  const agent = new Agent({
    connect: guardedConnector({ allowPrivate, resolve: (hostname) => lookups.resolve(hostname) }),
    // One per attempt: partners may share an origin, and must not wait for each other's slow responses.
    connections: attemptsInFlightMax,
    pipelining: 1,
    // `PostHandler` enforces these limits; undici's would restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const targets = checkedTargets(allowPrivate);

  function post({ url, headers, body, timeoutMs, partnerId }: WebhookRequest): Promise<WebhookAnswer> {
    return new Promise((resolve) => {
      const { origin, path, hostname } = targets(url);
      const posting = new PostHandler(timeoutMs, lookups.subscribe(hostname, partnerId), resolve);
      try {
        agent.dispatch({ origin, path, method: 'POST', headers, body }, posting);
      } catch (error) {
        posting.onError(error);
      }
    });
  }

  return {
    send: (request) => post(request).catch(refusalOf),
    close: () => agent.destroy(),
  };
}
