import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import {
  type Delivery,
  type DeliveryAttemptResult,
  deliveryAttemptsMax,
  deliveryEndpoint,
  isAcknowledged,
  newDelivery,
  parkDelivery,
  recordDeliveryAttempt,
} from '../../../src/domain/webhook/delivery.js';
import { NOW } from '../builders.js';
import { forAll } from '../for-all.js';

const MINUTE = 60_000;

function fresh(over: Partial<Delivery> = {}): Delivery {
  const input = {
    id: 'd',
    eventId: 'e',
    eventType: 'gate_session.created',
    sessionId: 's',
    partnerId: 'p',
    mode: 'test',
    target: 'webhook',
  } as const;
  return { ...newDelivery(input, NOW), ...over };
}

function answered(responseStatus: number | null, over: Partial<DeliveryAttemptResult> = {}): DeliveryAttemptResult {
  return {
    url: 'https://hooks.example',
    startedAt: NOW,
    durationMs: 12,
    responseStatus,
    responseBody: null,
    error: responseStatus === null ? 'timeout' : null,
    ...over,
  };
}

/** Fails a delivery repeatedly, each time 7 s after it was due. */
function failures(count: number): {
  readonly delivery: Delivery;
  readonly gaps: readonly (number | null)[];
  readonly numbers: readonly number[];
} {
  let delivery = fresh();
  const gaps: (number | null)[] = [];
  const numbers: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const now = (delivery.dueAt ?? NOW) + 7_000;
    const recorded = recordDeliveryAttempt(delivery, answered(500), now, DEFAULT_POLICY);
    delivery = recorded.delivery;
    gaps.push(delivery.dueAt === null ? null : delivery.dueAt - now);
    numbers.push(recorded.attempt.number);
  }
  return { delivery, gaps, numbers };
}

describe('acknowledgement', () => {
  it.each([200, 201, 202, 204, 226, 299])('any 2xx acknowledges: %i', (status) => {
    expect(isAcknowledged(answered(status))).toBe(true);
    const { delivery } = recordDeliveryAttempt(fresh(), answered(status), NOW + 5, DEFAULT_POLICY);
    expect(delivery).toMatchObject({
      status: 'delivered',
      dueAt: null,
      deliveredAt: NOW + 5,
      deadLetteredAt: null,
      attemptCount: 1,
    });
  });

  it.each([100, 199, 300, 301, 304, 400, 404, 410, 429, 500, 503, null])('no other status does: %s', (status) => {
    expect(isAcknowledged(answered(status))).toBe(false);
    expect(recordDeliveryAttempt(fresh(), answered(status), NOW, DEFAULT_POLICY).delivery.status).toBe('retrying');
  });

  it('an attempt with an error does not, whatever its status', () => {
    expect(isAcknowledged(answered(200, { error: 'timeout' }))).toBe(false);
  });
});

describe('the retry schedule', () => {
  it('retries 1 m, 5 m, 30 m and 2 h after the previous failure; the fifth failure dead-letters', () => {
    const { delivery, gaps, numbers } = failures(5);
    expect(gaps).toEqual([MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, null]);
    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    expect(delivery).toMatchObject({
      status: 'dead_lettered',
      attemptCount: 5,
      lastResponseStatus: 500,
      deliveredAt: null,
    });
    expect(delivery.deadLetteredAt).not.toBeNull();
    expect(deliveryAttemptsMax(DEFAULT_POLICY)).toBe(5);
  });

  it('is not dead-lettered after four failures', () => {
    expect(failures(4).delivery).toMatchObject({ status: 'retrying', attemptCount: 4, deadLetteredAt: null });
  });

  it('also delivers in the last attempt', () => {
    const { delivery } = recordDeliveryAttempt(failures(4).delivery, answered(204), NOW, DEFAULT_POLICY);
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 5, lastError: null });
  });

  forAll([fc.array(fc.constantFrom(200, 302, 500, null), { minLength: 1, maxLength: 5 })])(
    'attempts are numbered from 1, and it ends at the first 2xx or after five',
    (statuses) => {
      let delivery = fresh();
      const numbers: number[] = [];
      for (const status of statuses) {
        if (delivery.dueAt === null) break;
        const recorded = recordDeliveryAttempt(delivery, answered(status), delivery.dueAt, DEFAULT_POLICY);
        delivery = recorded.delivery;
        numbers.push(recorded.attempt.number);
      }
      const acknowledged = statuses.indexOf(200);
      expect(numbers).toEqual(
        [...Array(acknowledged < 0 ? statuses.length : acknowledged + 1).keys()].map((n) => n + 1),
      );
      expect(delivery.status).toBe(
        acknowledged >= 0 ? 'delivered' : statuses.length === 5 ? 'dead_lettered' : 'retrying',
      );
      expect(delivery.dueAt === null).toBe(delivery.status !== 'retrying');
    },
  );
});

describe('an attempt', () => {
  it('is counted when it is recorded, not when it is claimed', () => {
    const claimedThrice = fresh({ claims: 3, leaseToken: 'l', leaseUntil: NOW + 1 });
    expect(claimedThrice.attemptCount).toBe(0);
    const { delivery, attempt } = recordDeliveryAttempt(claimedThrice, answered(500), NOW, DEFAULT_POLICY);
    expect(attempt.number).toBe(1);
    expect(delivery).toMatchObject({
      attemptCount: 1,
      claims: 0,
      leaseToken: null,
      leaseUntil: null,
      dueAt: NOW + MINUTE,
    });
  });

  it('records the result, and is first initial and then scheduled', () => {
    const first = recordDeliveryAttempt(
      fresh(),
      answered(null, { error: 'dns', startedAt: NOW + 1, durationMs: 33 }),
      NOW + 40,
      DEFAULT_POLICY,
    );
    expect(first.attempt).toMatchObject({
      trigger: 'initial',
      error: 'dns',
      responseStatus: null,
      startedAt: NOW + 1,
      durationMs: 33,
    });
    expect(first.delivery).toMatchObject({ lane: 'retry', lastError: 'dns', lastAttemptAt: NOW + 1 });
    expect(recordDeliveryAttempt(first.delivery, answered(500), NOW, DEFAULT_POLICY).attempt.trigger).toBe('scheduled');
  });

  it('never changes the event or its target', () => {
    const { eventId, eventType, sessionId, target, partnerId, mode, createdAt } = fresh();
    expect(failures(5).delivery).toMatchObject({ eventId, eventType, sessionId, target, partnerId, mode, createdAt });
  });
});

it('a new delivery is pending, due immediately and in the first lane', () => {
  expect(fresh()).toMatchObject({
    status: 'pending',
    lane: 'first',
    dueAt: NOW,
    attemptCount: 0,
    trigger: 'initial',
    parkedAt: null,
  });
});

it('parking uses up no attempt and releases the lease', () => {
  const parked = parkDelivery(fresh({ claims: 21, leaseToken: 'l', leaseUntil: NOW + 1 }), NOW);
  expect(parked).toMatchObject({ parkedAt: NOW, leaseToken: null, leaseUntil: null, attemptCount: 0 });
});

it('deliveries share an endpoint only within partner, mode and target', () => {
  const endpoints = [
    fresh(),
    fresh({ mode: 'live' }),
    fresh({ partnerId: 'q' }),
    fresh({ target: 'consumer:grant' }),
  ].map(deliveryEndpoint);
  expect(new Set(endpoints).size).toBe(4);
  expect(deliveryEndpoint(fresh({ id: 'other', eventId: 'other' }))).toBe(endpoints[0]);
});
