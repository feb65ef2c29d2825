import assert from 'node:assert/strict';
import type { PageRequest } from '@gateramp/core/domain';
import type {
  DeliveryFilter,
  DocumentFilter,
  EventFilter,
  SessionFilter,
  Store,
  TransactionFilter,
} from '@gateramp/core/ports';
import { ACME } from '../builders.js';

const ANY_TIME = { createdAfter: null, createdBefore: null } as const;

export const ALL_SESSIONS: SessionFilter = {
  status: null,
  flow: null,
  currency: null,
  userReference: null,
  ...ANY_TIME,
};

export const ALL_TRANSACTIONS: TransactionFilter = {
  status: null,
  flow: null,
  sessionId: null,
  userReference: null,
  ...ANY_TIME,
};

export const ALL_DOCUMENTS: DocumentFilter = { group: null, ...ANY_TIME };

export const ALL_DELIVERIES: DeliveryFilter = {
  status: null,
  eventType: null,
  eventId: null,
  target: null,
  sessionId: null,
  ...ANY_TIME,
};

export const ALL_EVENTS: EventFilter = { type: null, sessionId: null, ...ANY_TIME };

export async function counterOf(store: Store, name: string): Promise<string> {
  const [value] = await store.readCounters(ACME, [name]);
  assert.equal(typeof value, 'string', `no value for the counter ${name}`);
  return String(value);
}

export function newest(limit: number): PageRequest {
  return { start: { kind: 'newest' }, limit };
}

export function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map((row) => row.id);
}
