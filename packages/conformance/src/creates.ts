import { randomUUID } from 'node:crypto';
import type { Scope } from '@gateramp/core';
import { emptyChange, type Change, type IdempotencyRef } from '@gateramp/core/ports';
import { ACME, aDelivery, anEvent, aSession, T0 } from './builders.js';

const EXPIRES = T0 + 86_400_000;

/** The commit of one create: a session, its event, its delivery and its key. Ids are unique across processes. */
export function aCreate(key: string, scope: Scope = ACME): Change {
  const { session, announcements } = aSession({ scope });
  const row = { ...session, id: uniqueId() };
  const events = announcements.map((announcement) => ({
    ...anEvent(row, announcement, T0),
    id: randomUUID(),
  }));
  return {
    ...emptyChange(scope, T0),
    idempotency: {
      kind: 'claim',
      ref: keyRef(key),
      state: { kind: 'sealed', reply: `reply of ${row.id}` },
      expiresAt: EXPIRES,
    },
    sessions: [{ row, expectedVersion: null }],
    events,
    deliveries: events.map((event) => ({ row: { ...aDelivery(event, T0), id: uniqueId() }, when: 'always' })),
  };
}

/** The use of a named key. */
export function keyRef(key: string): IdempotencyRef {
  return { scope: `${ACME.partnerId}/test`, keyHash: key, fingerprint: 'the same request' };
}

function uniqueId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}
