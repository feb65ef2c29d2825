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

/** Keys of partners with windows of their own that are remembered; beyond that, requests cost their address a hit too. */
const REMEMBERED_MAX = 10_000;

/** Look-ups at once for addresses that are blocked: guessing keys from there costs the store no more. */
const BLOCKED_LOOKUPS_MAX = 4;

/** Whose windows a request is counted in, and how much wider than the contract's they are. */
export interface PartnerWindow {
  readonly partnerId: string;
  readonly factor: number;
}

/**
 * Which requests are counted per partner instead of per address: those with a secret key of a partner that has a `rateLimitFactor`.
 * Requests are counted before their key is looked up, so such keys are remembered, and one from a blocked address is looked up first.
 */
export class PartnerWindows {
  private readonly remembered = new Map<string, PartnerWindow>();
  private lookups = 0;

  constructor(private readonly engine: Pick<Engine, 'crypto' | 'partners'>) {}

  /** From an earlier request with the same key; it costs nothing where no partner has a factor. */
  recall(endpoint: AnyEndpoint | null, request: HttpRequest): PartnerWindow | null {
    if (this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    return hash === null ? null : (this.remembered.get(hash) ?? null);
  }

  /** By a look-up; null too when there are enough of them. */
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

  /** Of an authenticated request, to be remembered; a key that is no longer one of such a partner is forgotten. */
  learn(endpoint: AnyEndpoint, request: HttpRequest, partner: Partner | null): PartnerWindow | null {
    const window = partner === null ? null : windowOf(partner);
    if (window === null && this.remembered.size === 0) return null;
    const hash = this.hashOf(endpoint, request);
    if (hash === null) return null;
    if (window === null) this.remembered.delete(hash);
    else if (this.remembered.size < REMEMBERED_MAX || this.remembered.has(hash)) this.remembered.set(hash, window);
    return window;
  }

  /** Of the secret key; null where none is sent or the endpoint is not throttled. */
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

/** What counts, and whether the standard headers are sent in addition to the contract's own. */
type Counting = Pick<Engine, 'limits' | 'policy'>;

export interface Throttled {
  readonly blocked: boolean;
  /** On every answer; with `retry-after-short` when blocked. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Whose windows are counted, and how much wider than the contract's they are. */
interface Client {
  readonly key: string;
  readonly factor: number;
}

export function byAddress(mode: Mode, clientIp: string): Client {
  return { key: `${mode}:${clientNetwork(clientIp)}`, factor: 1 };
}

/** No address is spelt so: theirs begin with the mode. */
export function byPartner(mode: Mode, { partnerId, factor }: PartnerWindow): Client {
  return { key: `partner:${mode}:${partnerId}`, factor };
}

/**
 * One hit in the client's windows of this route. A route with its own limit uses only that; all
 * others, unknown ones included, share the global tiers. Unthrottled routes count nothing.
 */
export function throttle(
  counting: Counting,
  endpoint: AnyEndpoint | null,
  client: Client,
): Throttled | Promise<Throttled> {
  const rules = endpoint === null ? GLOBAL_TIERS : endpoint.limits;
  if (rules === null) return unthrottled(counting, client);
  const key = isGlobal(rules) || endpoint === null ? client.key : `${client.key}:${endpoint.method} ${endpoint.path}`;
  const states = counting.limits.hit(key, widened(rules, client.factor * counting.policy.rateLimitFactor));
  return states instanceof Promise ? states.then((counted) => verdict(counting, counted)) : verdict(counting, states);
}

function verdict(counting: Counting, states: readonly RateState[]): Throttled {
  const headers = headersOf(counting, states);
  if (!states.some(isBlocked)) return { blocked: false, headers };
  const wait = headers['x-ratelimit-reset-short'] ?? '1';
  const standard = counting.policy.standardRateLimitHeaders ? { 'retry-after': wait } : {};
  return { blocked: true, headers: { ...headers, 'retry-after-short': wait, ...standard } };
}

async function unthrottled(counting: Counting, client: Client): Promise<Throttled> {
  return { blocked: false, headers: await windowsAsTheyStand(counting, client) };
}

/** What an unthrottled answer shows: the client's global windows, not counted in. */
export async function windowsAsTheyStand(
  counting: Counting,
  client: Client,
): Promise<Readonly<Record<string, string>>> {
  return headersOf(
    counting,
    await counting.limits.peek(client.key, widened(GLOBAL_TIERS, client.factor * counting.policy.rateLimitFactor)),
  );
}

function isGlobal(rules: readonly RateRule[]): boolean {
  return rules === GLOBAL_TIERS;
}

/** Every limit times the factor; at least one request. Made once for each pair, as every request needs them. */
function widened(rules: readonly RateRule[], factor: number): readonly RateRule[] {
  if (factor === 1) return rules;
  const made = WIDENED.get(rules) ?? new Map<number, readonly RateRule[]>();
  WIDENED.set(rules, made);
  const known = made.get(factor);
  if (known !== undefined) return known;
  const wide = rules.map((rule) => ({ ...rule, limit: Math.max(1, Math.round(rule.limit * factor)) }));
  made.set(factor, wide);
  return wide;
}

const WIDENED = new WeakMap<readonly RateRule[], Map<number, readonly RateRule[]>>();

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

/** Every window that applies, in the form of the IETF's draft-ietf-httpapi-ratelimit-headers. */
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
