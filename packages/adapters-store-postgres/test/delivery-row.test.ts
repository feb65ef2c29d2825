import { DEFAULT_POLICY } from '@gateramp/core';
import { newDelivery, parkDelivery, recordDeliveryAttempt, type Delivery } from '@gateramp/core/domain';
import { rows } from '@gateramp/conformance';
import { expect, it } from 'vitest';
import { deliveryOfRow, rowOfDelivery } from '../src/delivery-row.js';

const NEW = newDelivery(
  {
    id: 'd',
    eventId: 'e',
    eventType: 'gate_session.created',
    sessionId: 's',
    partnerId: rows.ACME.partnerId,
    mode: rows.ACME.mode,
    target: 'webhook',
  },
  rows.T0,
);
const REFUSED = {
  url: 'https://a',
  startedAt: rows.T0,
  durationMs: 1,
  responseStatus: 500,
  responseBody: '',
  error: null,
};
const retrying = recordDeliveryAttempt(NEW, REFUSED, rows.T0 + 5, DEFAULT_POLICY).delivery;
const delivered = recordDeliveryAttempt(
  retrying,
  { ...REFUSED, responseStatus: 200 },
  rows.T0 + 60_000,
  DEFAULT_POLICY,
).delivery;

it('keeps next to nothing of a delivery that is new', () => {
  expect(JSON.stringify(rowOfDelivery(NEW))).toBe('{"sessionId":"s"}');
});

it.each<[string, Delivery]>([
  ['new', NEW],
  ['of a consumer', { ...NEW, target: 'consumer:grant', lane: 'consumer:grant/gate_session.created' }],
  ['retrying', retrying],
  ['delivered', delivered],
  ['parked', parkDelivery({ ...NEW, claims: 21 }, rows.T0)],
  ['leased', { ...NEW, leaseToken: 'token', leaseUntil: rows.T0, claims: 1 }],
])('gives back every member of one that is %s', (_, delivery) => {
  expect(deliveryOfRow(delivery, JSON.stringify(rowOfDelivery(delivery)))).toEqual(delivery);
});
