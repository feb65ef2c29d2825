import type { RateRule, RateState } from '@gateramp/core/domain';
import type { RateLimits } from '@gateramp/core/ports';
import {
  closeOnProtocolError,
  isAway,
  placeOf,
  redisOutage,
  replaceSilent,
} from '@gateramp/adapters-queue-redis/connection';
import { reportToStderr } from '@gateramp/core/runtime';
import type { Redis } from 'ioredis';
import { LocalWindows } from './local-windows.js';
import { SharedWindows } from './shared-windows.js';
import { Trust } from './trust.js';
import { answerWithin } from './answer-within.js';

/** The key prefix, the time limit and the error callback. */
export interface RedisRateLimitsOptions {
  /** The prefix of every key of this gate in Redis. Processes with the same prefix share their counts. */
  readonly prefix?: string;
  /** How long a request waits for Redis before this process uses its own counts. */
  readonly answerMaxMs?: number;
  /** Called once per outage, with an error that has `outage: true`. Default: writes to stderr. */
  readonly onError?: (error: unknown) => void;
}

/** Rate limits that processes share. */
export interface RedisRateLimits extends RateLimits {
  /** Whether this process uses its own counts because Redis is unavailable. Report it in the readiness check. */
  degraded(): boolean;
}

const ANSWER_MAX_MS = 100;
const DEFAULT_PREFIX = 'gateramp:limits';

/**
 * Rate limits with shared counts for all processes. When Redis fails or is slow, each process immediately uses its own counts and keeps
 * probing Redis: no request is refused because Redis is unavailable, and nothing throws. The connection is neither opened nor closed here.
 * Windows in Redis last whole seconds; other durations are rounded up.
 */
export function redisRateLimits(connection: Redis, options: RedisRateLimitsOptions = {}): RedisRateLimits {
  const answerMaxMs = options.answerMaxMs ?? ANSWER_MAX_MS;
  const shared = new SharedWindows(connection, options.prefix ?? DEFAULT_PREFIX);
  const local = new LocalWindows();
  const report = options.onError ?? reportToStderr(troubleAt(connection));
  const trust = new Trust({
    probe: () => ask(() => shared.probe()),
    onError: (error) => report(redisOutage(connection, error)),
    onSilent: () => {
      // Without a close or error event, nothing else would replace it. A connecting client has its own time limit.
      if (connection.status === 'ready') replaceSilent(connection);
    },
  });
  // An unreachable Redis is reported as soon as it is detected, not at the first request.
  connection.on('error', (error) => trust.lose(error));
  closeOnProtocolError(connection);

  function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (isAway(connection)) return Promise.reject(new Error('the connection is down'));
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
    contract: 2,
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

/** Sends all commands before any is answered: one round trip for any number of rules. */
function each(rules: readonly RateRule[], ask: (rule: RateRule) => Promise<RateState>): Promise<RateState[]> {
  return Promise.all(rules.map(ask));
}
