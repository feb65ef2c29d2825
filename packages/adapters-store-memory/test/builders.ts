import { DEFAULT_POLICY, type Mode } from '@gateramp/core';
import {
  newDelivery,
  newTask,
  openSession,
  toJsonText,
  type Delivery,
  type GateEvent,
  type Instant,
  type NewDelivery,
  type NewTask,
  type Session,
  type Task,
} from '@gateramp/core/domain';
import { emptyChange, type Change, type DeliveryClaim, type Store } from '@gateramp/core/ports';

export const NOW: Instant = 1_700_000_000_000;
export const SCOPE = { partnerId: 'acme', mode: 'test' as Mode };

export function change(parts: Partial<Change>): Change {
  return { ...emptyChange(SCOPE, NOW), ...parts };
}

export function aSession(parts: Partial<Session> = {}): Session {
  const given = {
    terms: {
      flow: 'on_ramp',
      amount: '100.00',
      currency: 'EUR',
      targetToken: null,
      targetNetwork: null,
      walletAddress: null,
    },
    returnUrl: 'https://shop.example/done',
    metadata: toJsonText({}),
  } as const;
  const input = { given, id: 's1', scope: SCOPE, kyc: null, secretPrefix: 'gs_test_', secretHash: 'hash' };
  return { ...openSession(input, NOW, DEFAULT_POLICY).session, sequence: 0, expiresAt: NOW + 1_000, ...parts };
}

export function anEvent(parts: Partial<GateEvent> = {}): GateEvent {
  return {
    ...SCOPE,
    id: 'e1',
    sessionId: null,
    sequence: null,
    type: 'webhook.test',
    createdAt: NOW,
    body: '{}',
    ...parts,
  };
}

export function aDelivery(parts: Partial<NewDelivery> = {}, dueAt: Instant = NOW): Delivery {
  const input: NewDelivery = {
    ...SCOPE,
    id: 'd1',
    eventId: 'e1',
    eventType: 'webhook.test',
    sessionId: null,
    target: 'webhook',
    ...parts,
  };
  return { ...newDelivery(input, NOW), dueAt };
}

export function aTask(parts: Partial<NewTask> = {}): Task {
  return newTask({ ...SCOPE, id: 't1', kind: 'quota_check', subjectId: 's1', dueAt: NOW, ...parts }, NOW);
}

/** Commits deliveries together with their common event. */
export async function deliver(store: Store, ...rows: readonly Delivery[]): Promise<void> {
  const outcome = await store.commit(
    change({ events: [anEvent()], deliveries: rows.map((row) => ({ row, when: 'always' as const })) }),
  );
  if (outcome.kind !== 'committed') throw new Error(`The deliveries were not committed: ${outcome.kind}.`);
}

export function aClaim(parts: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return {
    now: { test: NOW, live: NOW },
    lane: 'first',
    limit: 10,
    perEndpoint: 10,
    leaseMs: 60_000,
    token: 'lease',
    ...parts,
  };
}
