import { clientNetwork } from '../../domain/limits/client-network.js';
import {
  isBlocked,
  remaining,
  resetSeconds,
  tightest,
  type RateRule,
  type RateState,
} from '../../domain/limits/rate-window.js';
import type { Mode } from '../../domain/mode.js';
import type { RateLimits } from '../../ports/rate-limits.js';
import type { AnyEndpoint } from '../endpoint.js';
import { GLOBAL_TIERS } from '../rate-rules.js';

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
  limits: RateLimits,
  mode: Mode,
  endpoint: AnyEndpoint | null,
  clientIp: string,
): Throttled | Promise<Throttled> {
  const rules = endpoint === null ? GLOBAL_TIERS : endpoint.limits;
  if (rules === null) return unthrottled(limits, mode, clientIp);
  const key =
    isGlobal(rules) || endpoint === null
      ? globalKey(mode, clientIp)
      : `${globalKey(mode, clientIp)}:${endpoint.method} ${endpoint.path}`;
  const states = limits.hit(key, rules);
  return states instanceof Promise ? states.then(verdict) : verdict(states);
}

function verdict(states: readonly RateState[]): Throttled {
  const headers = headersOf(states);
  if (!states.some(isBlocked)) return { blocked: false, headers };
  return { blocked: true, headers: { ...headers, 'retry-after-short': headers['x-ratelimit-reset-short'] ?? '1' } };
}

async function unthrottled(limits: RateLimits, mode: Mode, clientIp: string): Promise<Throttled> {
  return { blocked: false, headers: await windowsAsTheyStand(limits, mode, clientIp) };
}

/** What an unthrottled answer shows: the client's global windows, not counted in. */
export async function windowsAsTheyStand(
  limits: RateLimits,
  mode: Mode,
  clientIp: string,
): Promise<Readonly<Record<string, string>>> {
  return headersOf(await limits.peek(globalKey(mode, clientIp), GLOBAL_TIERS));
}

function isGlobal(rules: readonly RateRule[]): boolean {
  return rules === GLOBAL_TIERS;
}

function globalKey(mode: Mode, clientIp: string): string {
  return `${mode}:${clientNetwork(clientIp)}`;
}

function headersOf(states: readonly RateState[]): Readonly<Record<string, string>> {
  const state = tightest(states);
  if (state === null) return {};
  return {
    'x-ratelimit-limit-short': String(state.rule.limit),
    'x-ratelimit-remaining-short': String(remaining(state)),
    'x-ratelimit-reset-short': String(resetSeconds(state)),
  };
}
