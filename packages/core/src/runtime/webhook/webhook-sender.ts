import type { Socket } from 'node:net';
import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../ports/edge.js';
import {
  checkedTargets,
  deliveryErrorOf,
  guardedConnector,
  tunnelConnector,
  WebhookSendError,
} from './destination-guard.js';
import {
  LOOKUP_LIMITS,
  type LookupLimits,
  NameLookups,
  type LookupSubscription,
  type ResolveHost,
  type ResolverOptions,
  systemResolve,
} from './name-lookups.js';

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
  private connection: KeptConnection | null = null;
  private hasAnswered = false;
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
    /** Sends the request once more, on a connection of its own. */
    private readonly repeat: (handler: PostHandler) => void,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(() => this.cut(), timeoutMs);
  }

  /** The open connection that is going to carry the request; null for a new one. */
  uses(connection: KeptConnection | null): void {
    this.connection = connection;
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.abort = abort;
    // It timed out while waiting for a connection, and must not be sent after its end was reported.
    if (this.hasEnded) abort(new WebhookSendError('timeout'));
  }

  onHeaders(status: number): boolean {
    this.hasAnswered = true;
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
    const isUnanswered = !this.hasEnded && !this.hasAnswered && deliveryErrorOf(error) === 'connection_reset';
    if (!isUnanswered || this.connection?.hasReceivedNothing() !== true) return this.end(error);
    this.connection = null;
    this.repeat(this);
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

/** An idle connection, as it was when a request was given to it. */
class KeptConnection {
  private readonly bytesRead: number;

  constructor(private readonly socket: Socket) {
    this.bytesRead = socket.bytesRead;
  }

  /** Whether it failed before any byte of an answer: receivers and firewalls drop idle connections without a word. */
  hasReceivedNothing(): boolean {
    return this.socket.bytesRead === this.bytesRead;
  }
}

/** A client of one connection, which tells a `PostHandler` whether its request goes out on a connection that is already open. */
function keptClient(origin: URL, options: Client.Options & { readonly connect?: buildConnector.connector }): Client {
  let socket: Socket | null = null;
  const { connect } = options;
  const client = new Client(origin, {
    ...options,
    connect: (target, callback) =>
      connect?.(target, (...[error, opened]) => {
        socket = error === null ? opened : null;
        if (error === null) callback(null, opened);
        else callback(error, null);
      }),
  });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    if (handler instanceof PostHandler)
      handler.uses(socket === null || socket.destroyed ? null : new KeptConnection(socket));
    return dispatch(request, handler);
  };
  return client;
}

/** Destinations and limits of the sender. */
export interface UndiciWebhookSenderOptions {
  /** Allows loopback and private targets, for development and in-cluster receivers. */
  readonly allowPrivate: boolean;
  /**
   * Address of an HTTP proxy, such as `http://user:password@proxy.internal:3128`, through which all deliveries are sent by `CONNECT`. The
   * proxy is asked for the checked address, not for the name.
   */
  readonly proxy?: string | null;
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
  proxy = null,
  resolver = {},
  resolve: resolveHost = systemResolve(resolver),
  attemptsInFlightMax = DEFAULT_POLICY.attemptsInFlightMax,
  lookups: lookupLimits = {},
}: UndiciWebhookSenderOptions): WebhookSender {
  const lookups = new NameLookups(resolveHost, { ...LOOKUP_LIMITS, ...lookupLimits });
  const rules = { allowPrivate, resolve: (hostname: string) => lookups.resolve(hostname) };
  const options = {
    connect: proxy === null ? guardedConnector(rules) : tunnelConnector(proxy, rules),
    // One per attempt: partners may share an origin, and must not wait for each other's slow responses.
    connections: attemptsInFlightMax,
    // `PostHandler` enforces these limits; undici's would restart at every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const agent = new Agent({
    ...options,
    pipelining: 1,
    factory: (origin, given) => new Pool(origin, { ...given, factory: keptClient }),
  });
  // Without pipelining connections are not kept.
  const fresh = new Agent({ ...options, pipelining: 0 });

  const targets = checkedTargets(allowPrivate);

  function post({ url, headers, body, timeoutMs, partnerId }: WebhookRequest): Promise<WebhookAnswer> {
    return new Promise((resolve) => {
      const { origin, path, hostname } = targets(url);
      const dispatch = (over: Agent, posting: PostHandler): void => {
        try {
          over.dispatch({ origin, path, method: 'POST', headers, body }, posting);
        } catch (error) {
          posting.onError(error);
        }
      };
      const lookup = lookups.subscribe(hostname, partnerId);
      dispatch(agent, new PostHandler(timeoutMs, lookup, resolve, (posting) => dispatch(fresh, posting)));
    });
  }

  return {
    send: (request) => post(request).catch(refusalOf),
    close: async () => {
      await Promise.all([agent.destroy(), fresh.destroy()]);
    },
  };
}
