import { isBlocked } from '@gateramp/core/domain';
import type { RateLimits, Scheduler } from '@gateramp/core/ports';
import { over } from './over.js';

export const schedulerFaults = {
  'calls that overlap': (inner: Scheduler) =>
    over(inner, {
      start: (onDue) => inner.start(async () => void onDue()),
    }),

  'hints without a sweep': (inner: Scheduler) => {
    let hinted = false;
    return over(inner, {
      wake(hints) {
        hinted = true;
        inner.wake(hints);
      },
      start: (onDue) => inner.start(async () => (hinted ? onDue() : undefined)),
    });
  },

  'a sweep without hints': (inner: Scheduler) => over(inner, { wake: () => undefined }),

  'stopping at the first failure': (inner: Scheduler) => {
    let failed = false;
    return over(inner, {
      start: (onDue) =>
        inner.start(async () => {
          if (!failed) await onDue().catch(() => (failed = true));
        }),
    });
  },
} satisfies Record<string, (inner: Scheduler) => Scheduler>;

export const rateLimitsFaults = {
  'a peek that counts': (inner: RateLimits) => over(inner, { peek: (key, rules) => inner.hit(key, rules) }),

  'blocked hits left out': (inner: RateLimits) =>
    over(inner, {
      async hit(key, rules) {
        const states = await inner.peek(key, rules);
        return states.some((state) => state.used >= state.rule.limit || isBlocked(state))
          ? states
          : inner.hit(key, rules);
      },
    }),

  'keys that are tidied': (inner: RateLimits) =>
    over(inner, {
      hit: (key, rules) => inner.hit(key.trim().toLowerCase(), rules),
      peek: (key, rules) => inner.peek(key.trim().toLowerCase(), rules),
    }),
} satisfies Record<string, (inner: RateLimits) => RateLimits>;
