import type { RateRule, RateState } from '@gateramp/core/domain';
import type { RateLimits } from '@gateramp/core/ports';
import { closeOnProtocolError, isAway, placeOf, replaceSilent } from '@gateramp/adapters-queue-redis/connection';
import { reportToStderr } from '@gateramp/core/runtime';
import type { Redis } from 'ioredis';
import { LocalWindows } from './local-windows.js';
import { SharedWindows } from './shared-windows.js';
import { Trust } from './trust.js';
import { answerWithin } from './answer-within.js';

/** Where the windows are in Redis, and who is notified of errors. */
export interface RedisRateLimitsOptions {
  /** Begins every key of this gate in Redis. Processes that share it share their counts. */
  readonly prefix?: string;
  /** How long a request waits for Redis before this process counts for itself. */
  readonly answerMaxMs?: number;
  /** Hears once of each outage why Redis is no longer asked. Without one, stderr does. */
  readonly onError?: (error: unknown) => void;
}

/** Rate limits that processes share. */
export interface RedisRateLimits extends RateLimits {
  /** Whether this process counts for itself because Redis is away: readiness should say so. */
  degraded(): boolean;
}

const ANSWER_MAX_MS = 100;
const DEFAULT_PREFIX = 'gateramp:limits';

/**
 * Rate limits with the same numbers in every process. When Redis fails or is slow, each process
 * counts for itself at once and asks Redis again by itself: nothing is refused because Redis is
 * away, and nothing throws. The connection is neither opened nor closed here. Windows in Redis last
 * whole seconds; a rule that does not is rounded up.
 */
export function redisRateLimits(connection: Redis, options: RedisRateLimitsOptions = {}): RedisRateLimits {
  const answerMaxMs = options.answerMaxMs ?? ANSWER_MAX_MS;
  const shared = new SharedWindows(connection, options.prefix ?? DEFAULT_PREFIX);
  const local = new LocalWindows();
  const trust = new Trust({
    ask: () => ask(() => shared.probe()),
    onError: options.onError ?? reportToStderr(troubleAt(connection)),
    onSilent: () => {
      // Without an end or an error nothing else would ever replace it. One that is connecting has a limit of its own.
      if (connection.status === 'ready') replaceSilent(connection);
    },
  });
  // A Redis that cannot be reached is reported as soon as that is known, not at the first request.
  connection.on('error', (error) => trust.lose(error));
  closeOnProtocolError(connection);

  function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (isAway(connection)) return Promise.reject(new Error('The Redis connection is down.'));
    return answerWithin(answerMaxMs, question());
  }

  async function insured(question: () => Promise<RateState[]>, own: () => RateState[]): Promise<readonly RateState[]> {
    if (trust.isLost) return own();
    try {
      return await ask(question);
    } catch (error) {
      trust.lose(error);
      return own();
    }
  }

  return {
    hit: (key, rules) =>
      insured(
        () => each(rules, (rule) => shared.hit(key, rule)),
        () => rules.map((rule) => local.hit(key, rule)),
      ),
    peek: (key, rules) =>
      insured(
        () => each(rules, (rule) => shared.peek(key, rule)),
        () => rules.map((rule) => local.peek(key, rule)),
      ),
    degraded: () => trust.isLost,
  };
}

function troubleAt(connection: Redis): string {
  return `each process counts rate limits on its own while Redis at ${placeOf(connection)} is unavailable (check that Redis is running and the address is correct)`;
}

/** All sent before any is answered: one round trip, however many rules. */
function each(rules: readonly RateRule[], ask: (rule: RateRule) => Promise<RateState>): Promise<RateState[]> {
  return Promise.all(rules.map(ask));
}
