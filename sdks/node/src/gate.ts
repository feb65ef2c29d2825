import { AuthenticationError, InvalidRequestError } from './errors/classes.js';
import { HOSTS } from './generated/hosts.js';
import { type Fetch } from './http/attempt.js';
import { checkBounds } from './http/bounds.js';
import { Client } from './http/client.js';
import { Observer, type ObserverOptions } from './http/observer.js';
import { RETRY_POLICY } from './http/retry.js';
import { Branding } from './resources/branding.js';
import { Capabilities } from './resources/capabilities.js';
import { Events } from './resources/events.js';
import { GateSessions } from './resources/gate-sessions.js';
import { Pools } from './resources/pools.js';
import { Quotes } from './resources/quotes.js';
import { Rails } from './resources/rails.js';
import { TestHelpers } from './resources/test-helpers.js';
import { Transactions } from './resources/transactions.js';
import { Webhooks } from './resources/webhooks.js';

/** The address of the service, the limits of its calls, and who observes them. */
export interface GateOptions extends ObserverOptions {
  /**
   * The origin, plus a path if the service is mounted below one; https, or http on a loopback address. Default: the host of the key's mode.
   */
  readonly baseUrl?: string | undefined;
  /** The address of the pools product. Required for it if `baseUrl` is set. */
  readonly poolsBaseUrl?: string | undefined;
  /** Retries after the first attempt; 0 for none. Default 2. */
  readonly maxRetries?: number | undefined;
  /** The timeout of each attempt, including reading the body. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the global `fetch`, for a proxy or a test. */
  readonly fetch?: Fetch | undefined;
}

const TIMEOUT_MS = 30_000;

/** A client of the service for servers with a secret key. One `Gate` can serve a whole process. */
export class Gate {
  readonly gateSessions: GateSessions;
  readonly transactions: Transactions;
  readonly quotes: Quotes;
  readonly capabilities: Capabilities;
  readonly rails: Rails;
  readonly branding: Branding;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly pools: Pools;
  readonly testHelpers: TestHelpers;

  /** Throws for a key that is not a secret key, for an invalid address or number, and in a browser. */
  constructor(secretKey: string, options: GateOptions = {}) {
    refuseBrowser();
    const mode = modeOf(secretKey);
    const { baseUrl, poolsBaseUrl, maxRetries = RETRY_POLICY.maxRetries, timeoutMs = TIMEOUT_MS } = options;
    checkBounds({ maxRetries, timeoutMs });
    const api = baseUrl === undefined ? HOSTS[mode] : originOf('baseUrl', baseUrl);
    const pools = poolsBaseUrl === undefined ? null : originOf('poolsBaseUrl', poolsBaseUrl);
    const client = new Client({
      secretKey,
      // Default hosts apply only without a configured address: a key for one deployment must not be sent to another.
      hosts: { api, pools: () => pools ?? (baseUrl === undefined ? HOSTS.pools : refusePools()) },
      maxRetries,
      timeoutMs,
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
      observer: new Observer(options),
    });
    this.gateSessions = new GateSessions(client);
    this.transactions = new Transactions(client);
    this.quotes = new Quotes(client);
    this.capabilities = new Capabilities(client);
    this.rails = new Rails(client);
    this.branding = new Branding(client);
    this.webhooks = new Webhooks(client);
    this.events = new Events(client);
    this.pools = new Pools(client);
    this.testHelpers = new TestHelpers(client);
  }
}

function modeOf(secretKey: unknown): 'test' | 'live' {
  const found = typeof secretKey === 'string' ? /^sk_(test|live)_[\x21-\x7e]+$/.exec(secretKey)?.[1] : undefined;
  if (found === 'test' || found === 'live') return found;
  throw new AuthenticationError({
    code: 'malformed_credential',
    message: `${whatIsWrong(secretKey)} Secret keys begin with sk_test_ or sk_live_.`,
  });
}

/** Never includes the key: error messages end up in logs. */
function whatIsWrong(key: unknown): string {
  if (typeof key !== 'string' || key === '') return 'Missing secret key. Check that the environment variable is set.';
  if (/\s/.test(key)) return 'The secret key contains white space. Check the environment variable it is read from.';
  if (key.startsWith('pk_')) return 'This is a publishable key, which is for the browser SDK only.';
  if (key.startsWith('whsec_')) return 'This is a webhook signing secret.';
  return 'This is not a secret key.';
}

/**
 * Every request carries the secret key, so it may leave this machine over https only. Errors never repeat the address: it may contain a
 * password.
 */
function originOf(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw unusable(`${name} must be an address such as https://api.example.com, without a query.`);
  if (url.username !== '' || url.password !== '')
    throw unusable(`${name} must not contain a user name or password. Requests are authenticated by the secret key.`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw unusable(
      `${name} must begin with https://. Plain http is accepted for localhost and loopback addresses only.`,
    );
  return value.replace(/(?<!\/)\/+$/, '');
}

/** The URL parser has already normalized IPv4 addresses. */
const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

const unusable = (message: string): InvalidRequestError =>
  new InvalidRequestError({ code: 'invalid_configuration', message });

function refusePools(): never {
  throw unusable('The pools product has a separate host. Set poolsBaseUrl as well as baseUrl.');
}

/** Everything in a page's script is public (spec: Authentication 6). */
function refuseBrowser(): void {
  if (!('window' in globalThis && 'document' in globalThis)) return;
  throw new AuthenticationError({
    code: 'secret_key_in_browser',
    message:
      'A secret key must never be in a browser. Use this SDK on your server, and @gateramp/sdk-browser in the page.',
  });
}
