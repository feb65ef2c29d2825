import type { Scope } from '@gateramp/core';
import { expect } from 'vitest';
import type { TestGate } from '@gateramp/testing';
import type { Kind } from '../rails/rails.js';
import { expectNothingUnderWay, IN, OUT } from './expect-whole.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Invariants of payments over rails at the end, whatever happened before: one payment has reached the expected end and all others have
 * failed, each with its own quote, every change was announced once, and the money agrees with the records.
 */
export async function expectRailsWhole(t: TestGate, id: string, kind: Kind, ending: string): Promise<void> {
  await t.clock.advance('10m');
  const listed = await t.request('GET', `/v1/rails/${kind}s?limit=100`, { key: t.keys.secret.test });
  const payments = listed.json['data'] as readonly Members[];
  expect(payments.find((payment) => payment['id'] === id)?.['status']).toBe(ending);
  expect(payments.filter((payment) => payment['status'] !== 'failed')).toHaveLength(ending === 'failed' ? 0 : 1);
  expect(new Set(payments.map((payment) => payment['quote_id'])).size).toBe(payments.length);
  for (const payment of payments) {
    expectAnnounced(t, payment, kind);
    await expectMoneyRecorded(t, payment);
  }
  expect(t.receiver.received.every(({ verified, type }) => verified && type === `${kind}.updated`)).toBe(true);
  await expectNothingUnderWay(t);
}

/**
 * Each change is announced once, in any order of the webhooks, and the last one shows the final state; repeated deliveries have the same
 * bytes.
 */
function expectAnnounced(t: TestGate, payment: Members, kind: Kind): void {
  const own = t.receiver.received.filter(({ data }) => data['id'] === payment['id']);
  const events = new Map(own.map((webhook) => [webhook.id, webhook]));
  for (const copy of own) expect(copy.body).toBe(events.get(copy.id)?.body);
  const announced = [...events.values()].map(({ data }) => String(data['status'])).sort();
  const ways = (WAYS[String(payment['status'])] ?? []).map((way) => [...way].sort().join());
  expect(ways, `${kind} announced ${announced.join()}`).toContain(announced.join());
  const end = [...events.values()].find(({ data }) => data['status'] === payment['status'])?.data;
  expect({ ...end, updated_at: null }).toEqual({ ...payment, updated_at: null });
}

/** A crash before the provider received it leaves only the failure. */
const WAYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  succeeded: [['requires_action', 'processing', 'succeeded']],
  cancelled: [['requires_action', 'cancelled']],
  failed: [['failed'], ['requires_action', 'failed']],
};

async function expectMoneyRecorded(t: TestGate, payment: Members): Promise<void> {
  const scope: Scope = { partnerId: t.partner.id, mode: 'test' };
  const intent = await t.store.find('intent', scope, String(payment['id']));
  const transaction = await t.store.find('transaction', scope, String(payment['tx_refid']));
  expect([intent?.status, intent?.stepTaskId]).toEqual([payment['status'], null]);
  const isPaid = payment['status'] === 'succeeded';
  expect(transaction?.status).toBe(isPaid ? 'completed' : 'failed');
  const moved = await t.ledger.effects(intent?.operationId ?? '', t.clock.now('test'));
  const kinds = moved.map((effect) => effect.kind);
  const received = kinds.filter((one) => IN.includes(one)).length;
  const sent = kinds.filter((one) => OUT.includes(one)).length;
  expect([received, sent, kinds.length]).toEqual(isPaid ? [1, 1, 2] : [0, 0, 0]);
}
