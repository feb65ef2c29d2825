import type { RateRule, RateState } from '@gateramp/core/domain';
import type { Contracted } from '@gateramp/core/ports';
import { RateWindows } from './structures/rate-windows.js';

/** A window takes about 200 bytes: 20 MB at most, however many addresses an attacker uses. */
const WINDOWS_MAX = 100_000;

/** The clock of the windows, and their maximum number. */
export interface MemoryRateLimitsOptions {
  /** Milliseconds on a monotonic clock; `performance.now` by default. */
  readonly now?: () => number;
  readonly windowsMax?: number;
}

/** `RateLimits` with synchronous results. */
export interface InstantRateLimits extends Contracted {
  hit(key: string, rules: readonly RateRule[]): readonly RateState[];
  peek(key: string, rules: readonly RateRule[]): readonly RateState[];
}

/**
 * Rate limits of one process. Memory is bounded: when there are too many live windows, the one that ends first is
 * dropped, so its key starts over a little early.
 */
export function memoryRateLimits(options: MemoryRateLimitsOptions = {}): InstantRateLimits {
  const now = options.now ?? (() => performance.now());
  const windows = new RateWindows(options.windowsMax ?? WINDOWS_MAX);
  return {
    contract: 2,
    hit(key, rules) {
      const instant = now();
      return rules.map((rule) => {
        const { hits, endsAt } = windows.hit(windowName(key, rule), rule.windowMs, instant);
        return { rule, used: hits, resetMs: Math.ceil(endsAt - instant) };
      });
    },
    peek(key, rules) {
      const instant = now();
      return rules.map((rule) => {
        const window = windows.find(windowName(key, rule), instant);
        return window === null
          ? unused(rule)
          : { rule, used: window.hits, resetMs: Math.ceil(window.endsAt - instant) };
      });
    },
  };
}

/** Counts nothing and limits no client: for load tests. */
export function noRateLimits(): InstantRateLimits {
  const states = (_key: string, rules: readonly RateRule[]) => rules.map(unused);
  return { contract: 2, hit: states, peek: states };
}

function unused(rule: RateRule): RateState {
  return { rule, used: 0, resetMs: rule.windowMs };
}

/** Rule names are defined by the gate and contain no line break, so a key cannot collide with another rule's window. */
function windowName(key: string, rule: RateRule): string {
  return `${rule.name}\n${key}`;
}
