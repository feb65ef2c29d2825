import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/edge.js';
import { deliveryErrorOf, WebhookSendError, isPublicAddress, vettedTargets } from './destination-guard.js';
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
  /** Permits loopback and private targets: for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** All addresses of a host name. Rejects when there is no answer. */
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
}

/** Ends a connection attempt that its delivery has given up on already. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A host with several addresses gets this long at each but the last; Node's own 250 ms is too little across an ocean. */
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * Opens sockets to vetted addresses only. Every look-up is vetted, remembered answers too, and hands the socket the very addresses that
 * were vetted, so a second, different answer of the name server is never asked for; host name, `Host` and SNI stay as they were.
 * Pooled sockets stay with the address they were opened to.
 */
export function guardedConnector({ allowPrivate, resolve }: DestinationRules): buildConnector.connector {
  const allowed = (ip: string): boolean => allowPrivate || isPublicAddress(ip);
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    lookup: vettedLookup(resolve, allowed),
  };
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      // Not `socket === null`: whatever its types say, undici leaves the socket out when it failed.
      if (error !== null) return callback(error, null);
      // The last word is the socket's: whatever was looked up, this is who answers.
      if (socket.remoteAddress === undefined || allowed(socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new WebhookSendError('blocked_destination'), null);
    });
  };
}

/** Node looks up names only, so literals in a URL are vetted before, by `vettedUrl`. */
function vettedLookup(resolve: DestinationRules['resolve'], allowed: (ip: string) => boolean): LookupFunction {
  return (hostname, _options, callback) => {
    vettedAddresses(hostname, resolve, allowed).then(
      // `autoSelectFamily` always asks for all of them.
      (addresses) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error: WebhookSendError) => callback(error, []),
    );
  };
}

/** One private address among public ones refuses the name: which of them answers is not ours to choose. */
async function vettedAddresses(
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
 * At most `bytesMax` bytes of UTF-8 as text that every store takes: no NUL, no lone surrogate, no half character at the cut.
 * Decoded twice, because a broken byte becomes a three-byte mark and the text may grow past the limit.
 */
export function keptText(bytes: Uint8Array, bytesMax: number): string {
  if (bytes.length === 0) return '';
  const text = decode(bytes.subarray(0, bytesMax)).replaceAll('\0', '');
  return decode(new TextEncoder().encode(text).subarray(0, bytesMax));
}

/** `stream` holds an unfinished last character back instead of marking it as broken. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Bytes of a receiver's answer that are kept with the attempt, and that are read before the connection is cut. */
const KEPT_BYTES = 1024;
const READ_BYTES_MAX = 64 * 1024;

/** The verdict is in the headers; a body that still drips after so long is cut. */
const BODY_GRACE_MS = 1_000;

/**
 * One request as undici reports it, from dispatch to answer. It ends within `timeoutMs` whatever the receiver does, also while there is no
 * connection yet. The status decides and the body is a courtesy (spec: Delivery rules 1): once there is a status, however the body ends, an
 * answer is an answer. Bodies that end in time are read through, so that their connection can be used again; no more than what is kept is
 * held of them.
 *
 * Its methods are those that undici calls the old ones: they are handed no headers, which the new ones parse without use.
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
    // Given up on while it waited for its connection: it must not go out after its end was reported.
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
    // Copied, as a chunk is part of a larger buffer that would live as long.
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

  /** Ends it from this side. */
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

/** There was no answer. */
function refusalOf(error: unknown): WebhookAnswer {
  return { responseStatus: null, responseBody: null, error: deliveryErrorOf(error) };
}

/** How far requests may go, and how many connections they may hold. */
export interface UndiciWebhookSenderOptions {
  /** Permits loopback and private targets: for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /** Whom names are asked of; the system's hosts file and name servers when left out. */
  readonly resolver?: ResolverOptions;
  /** Finds addresses another way altogether. */
  readonly resolve?: ResolveHost;
  /** Connections at most; by default as many as the default policy makes attempts. */
  readonly attemptsInFlightMax?: number;
  /** How names are looked up, for tests. */
  readonly lookups?: Partial<LookupLimits>;
}

/** Posts webhooks with keep-alive, never to a private address (unless allowed), never after a redirect, never beyond its time. */
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
    // As many as there are attempts: partners may share an origin, and none may wait for another's slow answer.
    connections: attemptsInFlightMax,
    pipelining: 1,
    // `Posting` covers these; undici's restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const targets = vettedTargets(allowPrivate);

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
