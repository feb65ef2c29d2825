import { clientNetwork } from '../../domain/limits/client-network.js';
import {
  isBlocked,
  remaining,
  resetSeconds,
  tightest,
  type RateRule,
  type RateState,
} from '../../domain/limits/rate-window.js';
import { SECOND } from '../../domain/instant.js';
import type { Mode } from '../../domain/mode.js';
import type { Engine } from '../../application/engine.js';
import type { AnyEndpoint } from '../endpoint.js';
import { GLOBAL_TIERS } from '../rate-rules.js';

/** What counts, and whether the standard headers are wanted beside the contract's own. */
type Counting = Pick<Engine, 'limits' | 'policy'>;

export interface Throttled {
  readonly blocked: boolean;
  /** On every answer; with `retry-after-short` when blocked. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One hit in the client's windows of this route. A route with its own limit uses only that; all
 * others, unknown ones included, share the global tiers. Unthrottled routes count nothing.
 */
export function throttle(
  counting: Counting,
  mode: Mode,
  endpoint: AnyEndpoint | null,
  clientIp: string,
): Throttled | Promise<Throttled> {
  const rules = endpoint === null ? GLOBAL_TIERS : endpoint.limits;
  if (rules === null) return unthrottled(counting, mode, clientIp);
  const key =
    isGlobal(rules) || endpoint === null
      ? globalKey(mode, clientIp)
      : `${globalKey(mode, clientIp)}:${endpoint.method} ${endpoint.path}`;
  const states = counting.limits.hit(key, rules);
  return states instanceof Promise ? states.then((counted) => verdict(counting, counted)) : verdict(counting, states);
}

function verdict(counting: Counting, states: readonly RateState[]): Throttled {
  const headers = headersOf(counting, states);
  if (!states.some(isBlocked)) return { blocked: false, headers };
  const wait = headers['x-ratelimit-reset-short'] ?? '1';
  const standard = counting.policy.standardRateLimitHeaders ? { 'retry-after': wait } : {};
  return { blocked: true, headers: { ...headers, 'retry-after-short': wait, ...standard } };
}

async function unthrottled(counting: Counting, mode: Mode, clientIp: string): Promise<Throttled> {
  return { blocked: false, headers: await windowsAsTheyStand(counting, mode, clientIp) };
}

/** What an unthrottled answer shows: the client's global windows, not counted in. */
export async function windowsAsTheyStand(
  counting: Counting,
  mode: Mode,
  clientIp: string,
): Promise<Readonly<Record<string, string>>> {
  return headersOf(counting, await counting.limits.peek(globalKey(mode, clientIp), GLOBAL_TIERS));
}

function isGlobal(rules: readonly RateRule[]): boolean {
  return rules === GLOBAL_TIERS;
}

function globalKey(mode: Mode, clientIp: string): string {
  return `${mode}:${clientNetwork(clientIp)}`;
}

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
