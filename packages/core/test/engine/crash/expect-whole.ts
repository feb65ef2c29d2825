import type { Scope } from '@gateramp/core';
import type { Session } from '@gateramp/core/domain';
import { expect } from 'vitest';
import type { TestGate } from '@gateramp/testing';

const ALL = { status: null, flow: null, sessionId: null, userReference: null, createdAfter: null, createdBefore: null };

/**
 * Invariants of an ended session, whatever happened before: its events are complete and unique, nothing is pending, and the money agrees
 * with the records.
 */
export async function expectWhole(
  t: TestGate,
  sessionId: string,
  ending: 'completed' | 'cancelled' | 'expired',
): Promise<void> {
  const scope: Scope = { partnerId: t.partner.id, mode: 'test' };
  // Enough time for every lease to expire and every webhook to be sent.
  await t.clock.advance('10m');
  const session = await t.store.find('session', scope, sessionId);
  expect(session).toMatchObject({ status: ending, intentId: null, heldSince: null });
  if (session === null) return;
  await expectAnnounced(t, scope, session);
  await expectMoneyRecorded(t, scope, session);
  await expectNothingUnderWay(t);
}

async function expectAnnounced(t: TestGate, scope: Scope, session: Session): Promise<void> {
  const events = await t.store.list('session_event', scope, session.id);
  expect(events.map((event) => event.sequence)).toEqual(
    Array.from({ length: session.sequence }, (_, index) => index + 1),
  );
  const types = events.map((event) => event.type);
  expect(types.filter((type) => TERMINAL.includes(type))).toEqual([`gate_session.${session.status}`]);
  for (const event of events) {
    const copies = t.receiver.received.filter((webhook) => webhook.id === event.id);
    expect(copies.length, `${event.type} was never received`).toBeGreaterThan(0);
    expect(new Set(copies.map((copy) => copy.body))).toEqual(new Set([event.body]));
    expect(copies.every((copy) => copy.verified)).toBe(true);
  }
  expect(new Set(t.receiver.received.map((webhook) => webhook.id))).toEqual(new Set(events.map((event) => event.id)));
}

const TERMINAL = ['gate_session.completed', 'gate_session.cancelled', 'gate_session.expired'];

export const IN = ['charge', 'deposit'];
export const OUT = ['delivery', 'payout'];

async function expectMoneyRecorded(t: TestGate, scope: Scope, session: Session): Promise<void> {
  const transactions = await t.store.list(
    'transaction',
    scope,
    { ...ALL, sessionId: session.id },
    { limit: 50, start: { kind: 'newest' } },
  );
  expect(transactions.length).toBe(session.attempts);
  let delivered = 0;
  for (const transaction of transactions) {
    const intent = await t.store.find('intent', scope, transaction.intentId);
    expect(['succeeded', 'failed', 'cancelled']).toContain(intent?.status);
    expect(intent?.stepTaskId).toBeNull();
    const moved = await t.ledger.effects(intent?.operationId ?? '', t.clock.now('test'));
    const kinds = moved.map((effect) => effect.kind);
    expect(new Set(kinds).size, `an operation did ${kinds.join(', ')}`).toBe(kinds.length);
    const received = kinds.filter((kind) => IN.includes(kind)).length;
    const sent = kinds.filter((kind) => OUT.includes(kind)).length;
    expect([received, sent]).toEqual(transaction.status === 'completed' ? [1, 1] : [0, 0]);
    expect(transaction.status).toBe(intent?.status === 'succeeded' ? 'completed' : 'failed');
    delivered += sent;
  }
  expect(delivered).toBe(session.status === 'completed' ? 1 : 0);
}

/** `alarms` are those that the story itself causes; a crash may suppress one. */
export async function expectNothingUnderWay(t: TestGate, alarms: readonly string[] = []): Promise<void> {
  await t.clock.advance('25h');
  expect(await t.store.nextDue('test')).toBeNull();
  const { deliveries } = await allDeliveries(t);
  expect(new Set(deliveries.map(({ delivery }) => delivery.status))).toEqual(new Set(['delivered']));
  expect(t.telemetry.alarms.filter(({ name }) => !alarms.includes(name))).toEqual([]);
  // Only the story with a provider that refuses a call has this failure.
  const failures = t.telemetry.failures.filter(({ error }) => !String(error).includes('The provider was not reached'));
  expect(failures).toEqual([]);
}

async function allDeliveries(t: TestGate) {
  const scope: Scope = { partnerId: t.partner.id, mode: 'test' };
  const filter = {
    status: null,
    eventType: null,
    eventId: null,
    target: null,
    sessionId: null,
    createdAfter: null,
    createdBefore: null,
  };
  return { deliveries: await t.store.list('delivery', scope, filter, { limit: 100, start: { kind: 'newest' } }) };
}
