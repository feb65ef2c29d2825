/** A fixed window that starts at its first hit. Uses durations in milliseconds, never instants. */
export interface RateRule {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a window after a hit, or unchanged. */
export interface RateState {
  readonly rule: RateRule;
  /** Hits in the window, including the last one. */
  readonly used: number;
  /** Milliseconds until the window ends; the whole window if it has not started. */
  readonly resetMs: number;
}

/** Whether the last hit exceeded the limit. */
export function isBlocked(state: RateState): boolean {
  return state.used > state.rule.limit;
}

/** The state closest to blocking; of equal ones, the one that resets later. */
export function tightest(states: readonly RateState[]): RateState | null {
  let found: RateState | null = null;
  for (const state of states) {
    if (found === null || remaining(state) < remaining(found)) found = state;
    else if (remaining(state) === remaining(found) && state.resetMs > found.resetMs) found = state;
  }
  return found;
}

/** Hits left in the window, at least 0. */
export function remaining(state: RateState): number {
  return Math.max(0, state.rule.limit - state.used);
}

/** Whole seconds until the window ends, at least 1; the value of `X-RateLimit-Reset-short`. */
export function resetSeconds(state: RateState): number {
  return Math.max(1, Math.ceil(state.resetMs / 1000));
}
