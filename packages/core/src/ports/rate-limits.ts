import type { RateRule, RateState } from '../domain/limits/rate-window.js';

/**
 * Fixed windows that start at their first hit, on the adapter's own wall clock. Laws: a hit counts in every given rule, blocked or not;
 * windows of different keys are independent; `peek` counts nothing.
 */
export interface RateLimits {
  /** Counts one hit of `key` in each rule; returns the states in the order of the rules. */
  hit(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
  peek(key: string, rules: readonly RateRule[]): Promise<readonly RateState[]> | readonly RateState[];
}
