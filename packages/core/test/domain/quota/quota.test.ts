import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isoTime, utcMonth } from '../../../src/domain/instant.js';
import { completedSessionsCounter, isExhausted, thresholdsReached } from '../../../src/domain/quota/quota.js';
import { quotaData } from '../../../src/domain/quota/quota-resource.js';
import { parsed } from '../builders.js';
import { forAll } from '../for-all.js';

const scope = { partnerId: 'p', mode: 'live' } as const;

describe('quota thresholds', () => {
  it.each([
    [1000, 799, []],
    [1000, 800, ['warning']],
    [1000, 999, ['warning']],
    [1000, 1000, ['warning', 'exhausted']],
    [1000, 1001, ['warning', 'exhausted']],
    [3, 2, []],
    [3, 3, ['warning', 'exhausted']],
    [5, 4, ['warning']],
    [1, 0, []],
    [1, 1, ['warning', 'exhausted']],
    [7, 5, []],
    [7, 6, ['warning']],
  ])('of a limit of %i at %i used: %j', (limit, used, reached) => {
    expect(thresholdsReached(limit, used)).toEqual(reached);
    expect(isExhausted(limit, used)).toBe(used >= limit);
  });

  it('a partner without a limit is never exhausted; one with a limit of 0 always is', () => {
    expect(isExhausted(null, 1e9)).toBe(false);
    expect(isExhausted(0, 0)).toBe(true);
  });

  forAll([fc.integer({ min: 1, max: 1_000_000 }), fc.nat(1_200_000)])(
    'once reached stay reached, 80 % before 100 %',
    (limit, used) => {
      const now = thresholdsReached(limit, used);
      expect(thresholdsReached(limit, used + 1)).toEqual(expect.arrayContaining([...now]));
      if (now.includes('exhausted')) expect(now).toContain('warning');
      expect(now.includes('warning')).toBe(BigInt(used) * 5n >= BigInt(limit) * 4n);
    },
  );
});

describe('the quota period', () => {
  it.each([
    ['2026-01-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ])('of %s is the UTC month from %s to %s', (at, start, end) => {
    const month = utcMonth(Date.parse(at));
    expect([isoTime(month.start), isoTime(month.end)]).toEqual([start, end]);
  });

  it('starts a new counter at midnight UTC of the first, separate by partner and mode', () => {
    const last = Date.parse('2026-12-31T23:59:59.999Z');
    const counters = [
      completedSessionsCounter(scope, last),
      completedSessionsCounter(scope, last + 1),
      completedSessionsCounter({ ...scope, mode: 'test' }, last),
      completedSessionsCounter({ ...scope, partnerId: 'q' }, last),
    ];
    expect(new Set(counters).size).toBe(4);
    expect(completedSessionsCounter(scope, Date.parse('2026-12-01T00:00:00.000Z'))).toBe(counters[0]);
  });
});

it.each([
  ['warning', { limit: 1000, used: 800 }, 80, 200],
  ['exhausted', { limit: 1000, used: 1003 }, 100, 0],
] as const)('partner.quota.%s carries the contract’s payload and nothing more', (threshold, usage, percent, left) => {
  expect(parsed(quotaData(scope, threshold, usage, Date.parse('2026-02-14T00:00:00Z')))).toStrictEqual({
    object: 'partner_quota',
    partner_id: 'p',
    mode: 'live',
    quota: 'completed_sessions',
    limit: usage.limit,
    used: usage.used,
    remaining: left,
    threshold_percent: percent,
    period_start: '2026-02-01T00:00:00.000Z',
    period_end: '2026-03-01T00:00:00.000Z',
  });
});
