import type { Engine } from '../../application/engine.js';
import { SECOND } from '../../domain/instant.js';
import { readBearer } from '../../domain/keys/api-key.js';
import { clientNetwork } from '../../domain/limits/client-network.js';
import {
  isBlocked,
  type RateRule,
  type RateState,
  remaining,
  resetSeconds,
  tightest,
} from '../../domain/limits/rate-window.js';
import type { Mode } from '../../domain/mode.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { AnyEndpoint } from '../endpoint.js';
import { headerOf, type HttpRequest } from '../message.js';
import { GLOBAL_TIERS } from '../presets.js';

/** Maximum number of remembered keys of partners with their own windows; further ones also count a hit of their address. */
const REMEMBERED_MAX = 10_000;

/** Concurrent look-ups for blocked addresses, which bounds the store's load from guessed keys. */
const BLOCKED_LOOKUPS_MAX = 4;

/** The partner whose windows a request counts in, and the factor of its limits. */
export interface PartnerWindow {
  readonly partnerId: string;
  readonly factor: number;
}

/**
 * Decides which requests are counted per partner instead of per address: those with a secret key of a partner that has a `rateLimitFactor`.
 * Requests are counted before their key is looked up, so such keys are remembered; for a blocked address, the key is looked up first.
 */
export class PartnerWindows {
  private readonly remembered = new Map<string, PartnerWindow>();
  private lookups = 0;

  constructor(private readonly engine: Pick<Engine, 'crypto' | 'partners'>) {}

  /** Finds the window from an earlier request with the same key. Costs nothing if no partner has a factor. */
  recall(endpoint: AnyEndpoint | null, request: HttpRequest): PartnerWindow | null {
    if (this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    return hash === null ? null : (this.remembered.get(hash) ?? null);
  }

  /** Finds the window by a look-up; null also if too many look-ups are running. */
  async find(endpoint: AnyEndpoint, request: HttpRequest): Promise<PartnerWindow | null> {
    const hash = this.hashOf(endpoint, request);
    if (hash === null || this.lookups >= BLOCKED_LOOKUPS_MAX) return null;
    this.lookups += 1;
    try {
      const holder = await this.engine.partners.findKey(hash);
      return holder === null ? null : windowOf(holder.partner);
    } finally {
      this.lookups -= 1;
    }
  }

  /** Records the key of an authenticated request. Keys of partners without a rate-limit factor are removed. */
  learn(endpoint: AnyEndpoint, request: HttpRequest, partner: Partner | null): PartnerWindow | null {
    const window = partner === null ? null : windowOf(partner);
    if (window === null && this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    if (hash === null) return null;
    if (window === null) this.remembered.delete(hash);
    else if (this.remembered.size < REMEMBERED_MAX || this.remembered.has(hash)) this.remembered.set(hash, window);
    return window;
  }

  /** Hash of the request's secret key; null if there is none or the endpoint is not throttled. */
  private hashOf(endpoint: AnyEndpoint | null, request: HttpRequest): string | null {
    if (endpoint === null || endpoint.limits === null) return null;
    if (endpoint.auth !== 'secret' && endpoint.auth !== 'any_key') return null;
    const key = readBearer(headerOf(request, 'authorization'));
    return key.isOk() && key.value.type === 'secret' ? this.engine.crypto.hash(key.value.text) : null;
  }
}

function windowOf({ id, rateLimitFactor }: Partner): PartnerWindow | null {
  const factor = rateLimitFactor ?? null;
  return factor === null ? null : { partnerId: id, factor };
}

/** The counters, and whether the standard headers are sent in addition to the contract's. */
type Counting = Pick<Engine, 'limits' | 'policy'>;

export interface Throttled {
  readonly blocked: boolean;
  /** Sent with every response; includes `retry-after-short` if blocked. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The key of the windows, and the factor of their limits. */
interface Client {
  readonly key: string;
  readonly factor: number;
}

export function byAddress(mode: Mode, clientIp: string): Client {
  return { key: `${mode}:${clientNetwork(clientIp)}`, factor: 1 };
}

/** Never collides with an address: those start with the mode. */
export function byPartner(mode: Mode, { partnerId, factor }: PartnerWindow): Client {
  return { key: `partner:${mode}:${partnerId}`, factor };
}

/**
 * Counts one hit in the client's windows of this route. Routes with their own limit use only that; all others, including unknown ones,
 * share the global tiers. Unthrottled routes are not counted.
 */
export function throttle(
  counting: Counting,
  endpoint: AnyEndpoint | null,
  client: Client,
): Throttled | Promise<Throttled> {
  const rules = endpoint === null ? GLOBAL_TIERS : endpoint.limits;
  if (rules === null) return withoutCounting(counting, client);
  const key = isGlobal(rules) || endpoint === null ? client.key : `${client.key}:${endpoint.method} ${endpoint.path}`;
  const states = counting.limits.hit(key, scaled(rules, client.factor * counting.policy.rateLimitFactor));
  return states instanceof Promise ? states.then((counted) => verdict(counting, counted)) : verdict(counting, states);
}

function verdict(counting: Counting, states: readonly RateState[]): Throttled {
  const headers = headersOf(counting, states);
  if (!states.some(isBlocked)) return { blocked: false, headers };
  const wait = headers['x-ratelimit-reset-short'] ?? '1';
  const standard = counting.policy.standardRateLimitHeaders ? { 'retry-after': wait } : {};
  return { blocked: true, headers: { ...headers, 'retry-after-short': wait, ...standard } };
}

async function withoutCounting(counting: Counting, client: Client): Promise<Throttled> {
  return { blocked: false, headers: await uncountedHeaders(counting, client) };
}

/** The rate-limit headers of an unthrottled response: the client's global windows, without counting a hit. */
export async function uncountedHeaders(counting: Counting, client: Client): Promise<Readonly<Record<string, string>>> {
  return headersOf(
    counting,
    await counting.limits.peek(client.key, scaled(GLOBAL_TIERS, client.factor * counting.policy.rateLimitFactor)),
  );
}

function isGlobal(rules: readonly RateRule[]): boolean {
  return rules === GLOBAL_TIERS;
}

/** Multiplies each limit by the factor, with a minimum of one request. Cached, because every request needs the result. */
function scaled(rules: readonly RateRule[], factor: number): readonly RateRule[] {
  if (factor === 1) return rules;
  const cached = SCALED.get(rules) ?? new Map<number, readonly RateRule[]>();
  SCALED.set(rules, cached);
  const known = cached.get(factor);
  if (known !== undefined) return known;
  const result = rules.map((rule) => ({ ...rule, limit: Math.max(1, Math.round(rule.limit * factor)) }));
  cached.set(factor, result);
  return result;
}

const SCALED = new WeakMap<readonly RateRule[], Map<number, readonly RateRule[]>>();

function headersOf({ policy }: Counting, states: readonly RateState[]): Readonly<Record<string, string>> {
  const state = tightest(states);
  if (state === null) return {};
  const headers = {
    'x-ratelimit-limit-short': String(state.rule.limit),
    'x-ratelimit-remaining-short': String(remaining(state)),
    'x-ratelimit-reset-short': String(resetSeconds(state)),
  };
  return policy.standardRateLimitHeaders ? Object.assign(headers, standardHeaders(states)) : headers;
}

/** All applicable windows, in the format of the IETF's draft-ietf-httpapi-ratelimit-headers. */
function standardHeaders(states: readonly RateState[]): Readonly<Record<string, string>> {
  let limits = '';
  let policies = '';
  for (const state of states) {
    const { name, limit, windowMs } = state.rule;
    const comma = limits === '' ? '' : ', ';
    limits += `${comma}"${name}";r=${remaining(state)};t=${resetSeconds(state)}`;
    policies += `${comma}"${name}";q=${limit};w=${windowMs / SECOND}`;
  }
  return { ratelimit: limits, 'ratelimit-policy': policies };
}
