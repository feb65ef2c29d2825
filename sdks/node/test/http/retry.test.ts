import { describe, expect, it } from 'vitest';
import type { Sent } from '../../src/http/attempt.js';
import { outcomeOf } from '../../src/http/outcome.js';
import { retryAfterSeconds, retryDelayMs, RETRY_POLICY } from '../../src/http/retry.js';
import { retryPolicy, retryVectors, type RetryVector } from '../vectors.js';

function sentOf({ answer }: RetryVector): Sent {
  if ('failure' in answer)
    return answer.failure === 'timeout' ? { kind: 'timeout' } : { kind: 'connection', cause: new Error('reset') };
  const { status, headers, body } = answer;
  return { kind: 'answer', response: new Response(null, { status, headers }), text: body };
}

describe('retries', () => {
  it('follow the policy of every language', () => {
    expect(retryPolicy).toEqual({
      max_retries: RETRY_POLICY.maxRetries,
      backoff_base_ms: RETRY_POLICY.backoffBaseMs,
      backoff_max_ms: RETRY_POLICY.backoffMaxMs,
      retry_after_max_seconds: RETRY_POLICY.retryAfterMaxSeconds,
    });
  });

  it.each(retryVectors)('$name: $retried, $error', (vector) => {
    const asked = { method: 'GET', url: 'http://127.0.0.1/v1/gate_sessions', timeoutMs: 1000 } as const;
    const outcome = outcomeOf(sentOf(vector), asked, vector.now);
    if (outcome.ok) return expect.unreachable();
    const wait = (chance: number): number | null =>
      retryDelayMs(outcome.failure, { retriesMade: vector.retries_made, maxRetries: 2, chance });
    expect([wait(0), wait(1)]).toEqual([vector.wait_ms?.least ?? null, vector.wait_ms?.most ?? null]);
    const { error } = outcome;
    expect(error).toMatchObject({ name: vector.error, type: vector.type, code: vector.code });
    if (vector.request_id !== undefined) expect(error.requestId).toBe(vector.request_id);
    if (vector.messages !== undefined) expect(error.messages).toEqual(vector.messages);
    if (vector.retry_after_seconds !== undefined && error.name === 'RateLimitError')
      expect(error).toMatchObject({ retryAfterSeconds: vector.retry_after_seconds });
    if ('body' in vector.answer)
      expect(error).toMatchObject({ status: vector.answer.status, rawBody: vector.answer.body });
  });

  it('wait longer each time, up to the ceiling', () => {
    const most = [0, 1, 2, 3, 4, 5, 9].map((retriesMade) =>
      retryDelayMs({ kind: 'connection' }, { retriesMade, maxRetries: 10, chance: 1 }),
    );
    expect(most).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it('read no header as no wait', () => {
    expect(retryAfterSeconds(new Headers(), 0)).toBe(null);
  });
});
