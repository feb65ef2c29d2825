import { isBlocked, remaining, resetSeconds, tightest, type RateRule, type RateState } from '../../domain/limits/rate-window.js';
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
export async function throttle(
  limits: RateLimits,
  mode: Mode,
  endpoint: AnyEndpoint | null,
  clientIp: string,
): Promise<Throttled> {
  const rules = endpoint === null ? GLOBAL_TIERS : endpoint.limits;
  if (rules === null) return { blocked: false, headers: await windowsAsTheyStand(limits, mode, clientIp) };
  const key = isGlobal(rules) || endpoint === null ? globalKey(mode, clientIp) : `${mode}:${clientIp}:${endpoint.method} ${endpoint.path}`;
  const states = limits.hit(key, rules);
  return stateOf(states instanceof Promise ? await states : states);
}

/** What an unthrottled answer shows: the client's global windows, not counted in. */
export async function windowsAsTheyStand(
  limits: RateLimits,
  mode: Mode,
  clientIp: string,
): Promise<Readonly<Record<string, string>>> {
  return stateOf(await limits.peek(globalKey(mode, clientIp), GLOBAL_TIERS)).headers;
}

function isGlobal(rules: readonly RateRule[]): boolean {
  return rules === GLOBAL_TIERS;
}

function globalKey(mode: Mode, clientIp: string): string {
  return `${mode}:${clientIp}`;
}

function stateOf(states: readonly RateState[]): Throttled {
  const state = tightest(states);
  if (state === null) return { blocked: false, headers: {} };
  const seconds = String(resetSeconds(state));
  const headers: Record<string, string> = {
    'x-ratelimit-limit-short': String(state.rule.limit),
    'x-ratelimit-remaining-short': String(remaining(state)),
    'x-ratelimit-reset-short': seconds,
  };
  const blocked = states.some(isBlocked);
  if (blocked) headers['retry-after-short'] = seconds;
  return { blocked, headers };
}
