import { createTestGate, type TestGate, type TestGateOptions } from '@gateramp/testing';
import { expect } from 'vitest';
import { checkoutOf } from '../saved-methods/buyers.js';

export const MINUTE = 60_000;

export async function world(options: TestGateOptions = {}) {
  const t = await createTestGate({ ...options, policy: { testClock: 'partner', ...options.policy } });
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  const { checkpoints } = t.gate.admin;
  const create = async (name = 'before') => (await checkpoints.create(t.partner.id, name))._unsafeUnwrap();
  const goBack = async (id: string) => (await checkpoints.return(t.partner.id, id))._unsafeUnwrap();
  const simulate = async (id: string, scenario: string) => {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    const answer = await t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
    expect([scenario, answer.status, answer.text.slice(0, 200)]).toEqual([scenario, 200, expect.any(String)]);
  };
  return { t, scope, checkpoints, create, goBack, simulate };
}

export function checkoutFor(t: TestGate, reference: string) {
  const keys = { secret: t.keys.secret.test, publishable: t.keys.publishable.test };
  return checkoutOf(t, { shop: { id: t.partner.id, test: keys, live: keys }, mode: 'test', reference });
}

export const quoteOf = async (t: TestGate, id: string) =>
  (await t.request('GET', `/v1/quotes/${id}`, { key: t.keys.secret.test })).json;

export const eventsOf = async (t: TestGate, id: string) =>
  (await t.gate.events.list({ partnerId: t.partner.id, mode: 'test' }, { session_id: id, limit: 100 }))
    ._unsafeUnwrap()
    .data.toReversed();
