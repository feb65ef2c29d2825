import type { RateRule, RateState } from '../domain/limits/rate-window.js';

/**
 * Fixed windows that start at their first hit, on the adapter's own wall clock. Laws: a hit counts
 * in every rule given, blocked or not; windows of two keys never meet; `peek` counts nothing.
 */
export interface RateLimits {
  /** One hit of `key` in each rule; the states come back in the order of the rules. */
  hit(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
  peek(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
}
