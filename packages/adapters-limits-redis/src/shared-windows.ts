import type { RateRule, RateState } from '@gateramp/core/domain';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

const PROBE: RateRule = { name: 'probe', limit: 1, windowMs: 1_000 };

/** The windows that all processes share. Every method rejects if Redis does. */
export class SharedWindows {
  private readonly limiter: RateLimiterRedis;

  constructor(connection: Redis, prefix: string) {
    // Points and duration are passed with each call: this limiter serves every rule.
    this.limiter = new RateLimiterRedis({ storeClient: connection, keyPrefix: prefix, points: 1, duration: 1 });
  }

  /** Uses `penalty`, since `consume` rejects for a blocked hit; both count it. */
  async hit(key: string, rule: RateRule): Promise<RateState> {
    return stateOf(rule, await this.limiter.penalty(windowName(key, rule), 1, { customDuration: wholeSeconds(rule) }));
  }

  async peek(key: string, rule: RateRule): Promise<RateState> {
    const window = await this.limiter.get(windowName(key, rule));
    // The window may end while it is being read, with no time left.
    if (window === null || window.msBeforeNext <= 0) return { rule, used: 0, resetMs: rule.windowMs };
    return stateOf(rule, window);
  }

  /** Performs a write like a hit, since a read-only Redis still answers a ping. */
  async probe(): Promise<void> {
    await this.hit('', PROBE);
  }
}

/** The library passes on any reply of Redis; a reply that is not a count is an error. */
function stateOf(rule: RateRule, window: RateLimiterRes): RateState {
  const [used, resetMs] = [window.consumedPoints, Number(window.msBeforeNext)];
  if (!Number.isSafeInteger(used) || !Number.isSafeInteger(resetMs))
    throw new Error('Redis returned a value that is not a count.');
  return { rule, used, resetMs: Math.max(0, resetMs) };
}

/** Rule names are defined by the gate and contain no colon, so a key cannot collide with another rule's window. */
function windowName(key: string, rule: RateRule): string {
  return `${rule.name}:${key}`;
}

/** Redis would truncate a fraction, and keep a window of less than a second forever. */
function wholeSeconds(rule: RateRule): number {
  return Math.max(1, Math.ceil(rule.windowMs / 1000));
}
