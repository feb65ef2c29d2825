import type { RateRule, RateState } from '@gateramp/core/domain';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

const PROBE: RateRule = { name: 'probe', limit: 1, windowMs: 1_000 };

/** The windows that all processes share. Every method rejects when Redis does. */
export class SharedWindows {
  private readonly limiter: RateLimiterRedis;

  constructor(connection: Redis, prefix: string) {
    // Points and duration come with each call: this one limiter serves every rule.
    this.limiter = new RateLimiterRedis({ storeClient: connection, keyPrefix: prefix, points: 1, duration: 1 });
  }

  /** A `penalty`, as `consume` would answer a blocked hit by rejecting; both count it. */
  async hit(key: string, rule: RateRule): Promise<RateState> {
    return stateOf(rule, await this.limiter.penalty(windowName(key, rule), 1, { customDuration: wholeSeconds(rule) }));
  }

  async peek(key: string, rule: RateRule): Promise<RateState> {
    const window = await this.limiter.get(windowName(key, rule));
    // A window may end while it is being read; it then has no time left.
    if (window === null || window.msBeforeNext <= 0) return { rule, used: 0, resetMs: rule.windowMs };
    return stateOf(rule, window);
  }

  /** Does what a hit does, as a Redis that may not be written to answers a ping all the same. */
  async probe(): Promise<void> {
    await this.hit('', PROBE);
  }
}

/** The library passes on what it makes of any answer; what is no count is no window of ours. */
function stateOf(rule: RateRule, window: RateLimiterRes): RateState {
  const [used, resetMs] = [window.consumedPoints, Number(window.msBeforeNext)];
  if (!Number.isSafeInteger(used) || !Number.isSafeInteger(resetMs))
    throw new Error('Redis returned a value that is not a count.');
  return { rule, used, resetMs: Math.max(0, resetMs) };
}

/** Rule names are ours and hold no colon, so no key can reach into another's window. */
function windowName(key: string, rule: RateRule): string {
  return `${rule.name}:${key}`;
}

/** Redis would cut a fraction off, and keep a window of less than a second for ever. */
function wholeSeconds(rule: RateRule): number {
  return Math.max(1, Math.ceil(rule.windowMs / 1000));
}
