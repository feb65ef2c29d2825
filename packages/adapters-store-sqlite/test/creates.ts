import type { Scope } from '@gateramp/core';
import { emptyChange, type Change, type IdempotencyRef } from '@gateramp/core/ports';
import { rows } from '@gateramp/conformance';
import { randomUUID } from 'node:crypto';

const EXPIRES = rows.T0 + 86_400_000;

/** The commit of one create: a session, its event, its delivery and its key. Ids are new in every process. */
export function aCreate(key: string, scope: Scope = rows.ACME): Change {
  const { session, announcements } = rows.aSession({ scope });
  const row = { ...session, id: uniqueId() };
  const events = announcements.map((announcement) => ({
    ...rows.anEvent(row, announcement, rows.T0),
    id: randomUUID(),
  }));
  return {
    ...emptyChange(scope, rows.T0),
    idempotency: {
      kind: 'claim',
      ref: keyRef(key),
      state: { kind: 'sealed', reply: `reply of ${row.id}` },
      expiresAt: EXPIRES,
    },
    sessions: [{ row, expectedVersion: null }],
    events,
    deliveries: events.map((event) => ({ row: { ...rows.aDelivery(event, rows.T0), id: uniqueId() }, when: 'always' })),
  };
}

export function keyRef(key: string): IdempotencyRef {
  return { scope: 'acme/test', keyHash: key, fingerprint: 'the same request' };
}

function uniqueId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}
