import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HOUR, MINUTE, type DeliveryAttemptResult, type Delivery, type DeliveryAttempt } from '@gateramp/core/domain';
import { ACME, POLICY, T0, aDelivery, aPartnerEvent } from '../../../../conformance/src/builders.js';
import { domainTopic, type DomainSubject } from './domain-subject.js';

const RESULT: DeliveryAttemptResult = {
  url: null,
  startedAt: T0,
  durationMs: 1,
  responseStatus: null,
  responseBody: null,
  error: 'timeout',
};

const failures: fc.Arbitrary<DeliveryAttemptResult> = fc.oneof(
  fc
    .constantFrom('timeout', 'dns', 'tls', 'connection_refused', 'blocked_destination')
    .map((error): DeliveryAttemptResult => ({ ...RESULT, error })),
  fc
    .oneof(fc.integer({ min: 100, max: 199 }), fc.integer({ min: 300, max: 599 }))
    .map((responseStatus): DeliveryAttemptResult => ({ ...RESULT, responseStatus, error: null })),
);

interface Trail {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempt[];
  /** From the end of each attempt to the next one. */
  readonly gaps: readonly number[];
}

/** Makes attempts when they are due, with the given results, until the delivery has ended or there are no more results. */
function attempted(domain: DomainSubject, results: readonly DeliveryAttemptResult[]): Trail {
  let delivery = aDelivery(aPartnerEvent(ACME, T0), T0);
  const attempts: DeliveryAttempt[] = [];
  const gaps: number[] = [];
  for (const result of results) {
    if (delivery.dueAt === null) break;
    const now = delivery.dueAt + 7;
    const settled = domain.recordDeliveryAttempt(delivery, { ...result, startedAt: now }, now, POLICY);
    attempts.push(settled.attempt);
    if (settled.delivery.dueAt !== null) gaps.push(settled.delivery.dueAt - now);
    delivery = settled.delivery;
  }
  return { delivery, attempts, gaps };
}

export const deliveryRuleLaws = domainTopic('Domain: deliveries', {
  'retries after exactly 1 m, 5 m, 30 m and 2 h and is dead-lettered by the fifth failure'(domain) {
    const manyFailures = fc.array(failures, { minLength: 5, maxLength: 8 });
    fc.assert(
      fc.property(manyFailures, (results) => {
        const { delivery, attempts, gaps } = attempted(domain, results);
        assert.deepEqual(gaps, [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]);
        assert.equal(attempts.length, 5);
        assert.deepEqual([delivery.status, delivery.attemptCount, delivery.dueAt], ['dead_lettered', 5, null]);
        assert.notEqual(delivery.deadLetteredAt, null);
      }),
      { numRuns: 50 },
    );
  },

  'is not dead before the fifth failure'(domain) {
    const { delivery } = attempted(domain, [RESULT, RESULT, RESULT, RESULT]);
    assert.deepEqual([delivery.status, delivery.attemptCount], ['retrying', 4]);
  },

  'is delivered by any 2xx, at whichever attempt, and is due no more'(domain) {
    const success = fc
      .integer({ min: 200, max: 299 })
      .map((responseStatus): DeliveryAttemptResult => ({ ...RESULT, responseStatus, error: null }));
    fc.assert(
      fc.property(fc.array(failures, { maxLength: 4 }), success, (before, last) => {
        const { delivery, attempts } = attempted(domain, [...before, last, RESULT]);
        assert.deepEqual([delivery.status, delivery.dueAt], ['delivered', null]);
        assert.equal(attempts.length, before.length + 1);
      }),
      { numRuns: 50 },
    );
  },

  'counts an attempt when it is settled and numbers it'(domain) {
    const leased: Delivery = {
      ...aDelivery(aPartnerEvent(ACME, T0), T0),
      leaseToken: 'token',
      leaseUntil: T0 + MINUTE,
      claims: 3,
    };
    const { delivery, attempt } = domain.recordDeliveryAttempt(leased, RESULT, T0, POLICY);
    assert.deepEqual([delivery.attemptCount, delivery.attemptsTotal, delivery.claims, attempt.number], [1, 1, 0, 1]);
    assert.deepEqual([delivery.leaseToken, delivery.leaseUntil, delivery.lane], [null, null, 'retry']);
    assert.deepEqual([leased.attemptCount, leased.claims], [0, 3], 'the delivery that was given stays as it was');
  },

  "keeps the delivery's identity through every attempt"(domain) {
    const { delivery } = attempted(domain, [RESULT, RESULT, RESULT]);
    const { delivery: all } = attempted(domain, []);
    assert.deepEqual(
      [delivery.eventType, delivery.partnerId, delivery.mode, delivery.target],
      [all.eventType, all.partnerId, all.mode, all.target],
    );
    assert.deepEqual(
      attempted(domain, [RESULT, RESULT]).attempts.map(({ trigger }) => trigger),
      ['initial', 'scheduled'],
    );
  },
});
