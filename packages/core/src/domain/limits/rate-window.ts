/** A fixed window that starts at its first hit. Durations in milliseconds, never instants. */
export interface RateRule {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** A window after a hit, or unchanged. */
export interface RateState {
  readonly rule: RateRule;
  /** Hits in the window, the last one included. */
  readonly used: number;
  /** Until the window ends; the whole window when it has not started. */
  readonly resetMs: number;
}

/** Whether this hit is one too many. */
export function isBlocked(state: RateState): boolean {
  return state.used > state.rule.limit;
}

/** Where several tiers apply, the one closest to blocking; ties go to the one that lasts longer. */
export function tightest(states: readonly RateState[]): RateState | null {
  let found: RateState | null = null;
  for (const state of states) {
    if (found === null || remaining(state) < remaining(found)) found = state;
    else if (remaining(state) === remaining(found) && state.resetMs > found.resetMs) found = state;
  }
  return found;
}

/** Hits left in the window; never below 0. */
export function remaining(state: RateState): number {
  return Math.max(0, state.rule.limit - state.used);
}

/** Whole seconds until the window ends, at least 1: what `X-RateLimit-Reset-short` says. */
export function resetSeconds(state: RateState): number {
  return Math.max(1, Math.ceil(state.resetMs / 1000));
}
