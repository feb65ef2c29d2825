import type { TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { GATES } from './every-store.js';

const NONE = { status: null, flow: null, currency: null, userReference: null, createdAfter: null, createdBefore: null };

const scopeOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

/** A session that goes through these scenarios, one after another. */
async function session(t: TestGate, ...scenarios: readonly (string | object)[]): Promise<string> {
  const terms = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
  const { id } = (await t.gate.sessions.create(scopeOf(t), terms))._unsafeUnwrap();
  for (const scenario of scenarios) {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    const body = typeof scenario === 'string' ? { scenario } : scenario;
    const answer = await t.request('POST', path, { key: t.keys.secret.test, body });
    expect(answer.status, answer.text).toBe(200);
  }
  return id;
}

async function refund(t: TestGate, id: string, amount: string | null): Promise<void> {
  const { txRefid } = (await t.store.find('session', scopeOf(t), id)) ?? {};
  const of = { amount, reason: null };
  const done = await t.gate.admin.refundTransaction(scopeOf(t), txRefid ?? '', of, { idempotencyKey: id });
  done._unsafeUnwrap();
  await t.clock.advance('1h');
}

/** Sessions of every state, by the state of their payment. */
async function everyState(t: TestGate): Promise<ReadonlyMap<string, string>> {
  const made: [string, string][] = [];
  made.push(['charged_back', await session(t, 'charged_back')]);
  made.push(['dispute_won', await session(t, 'charged_back', 'dispute_won')]);
  made.push(['disputed', await session(t, { scenario: 'charged_back', amount: '10.00' })]);
  made.push(['partly_refunded', await session(t, 'succeed')]);
  await refund(t, made.at(-1)?.[1] ?? '', '10.00');
  made.push(['refunded', await session(t, 'succeed')]);
  await refund(t, made.at(-1)?.[1] ?? '', null);
  made.push(['completed', await session(t, 'succeed')]);
  made.push(['declined', await session(t, 'decline')]);
  made.push(['processing', await session(t, 'processing')]);
  made.push(['requires_action', await session(t, 'kyc_required')]);
  return new Map(made);
}

describe.each(Object.entries(GATES))('the money of sessions on %s', (_, aGate) => {
  it('is known for every session, and null before an attempt', async () => {
    const t = await aGate();
    const states = await everyState(t);
    const untouched = await session(t);
    const { admin } = t.gate;
    const found = await admin.sessionPayments(scopeOf(t), [...states.values(), untouched, 'unknown']);
    expect(found).toEqual([...states.keys(), null, null]);
    const elsewhere = { ...scopeOf(t), mode: 'live' } as const;
    expect(await admin.sessionPayments(elsewhere, [...states.values()])).toEqual([...states].map(() => null));
  });

  it('of a session that was paid after it had ended is what was paid', async () => {
    const t = await aGate();
    const id = await session(t, 'late_settlement');
    expect((await t.store.find('session', scopeOf(t), id))?.status).not.toBe('completed');
    expect(await t.gate.admin.sessionPayments(scopeOf(t), [id])).toEqual(['completed']);
  });

  it('lists exactly the sessions of a state, once each, page by page', async () => {
    const t = await aGate();
    const states = await everyState(t);
    const twice = await session(t, 'decline', 'decline');
    await session(t, 'decline', 'succeed');
    const { admin } = t.gate;
    for (const [payment, id] of states) {
      if (payment === 'declined' || payment === 'completed') continue;
      const of = { payment: payment as 'refunded', filter: NONE, after: null, limit: 10 };
      expect(await admin.sessionsByPayment(scopeOf(t), of)).toEqual({ ids: [id], next: null });
    }
    const declined = { payment: 'declined', filter: NONE, limit: 1 } as const;
    const first = await admin.sessionsByPayment(scopeOf(t), { ...declined, after: null });
    expect(first).toEqual({ ids: [twice], next: expect.any(String) });
    const rest = await admin.sessionsByPayment(scopeOf(t), { ...declined, after: first.next, limit: 10 });
    expect(rest).toEqual({ ids: [states.get('declined')], next: null });
  });

  it('is listed within the other filters', async () => {
    const t = await aGate();
    const id = await session(t, 'decline');
    const { admin } = t.gate;
    const listed = async (filter: Partial<Parameters<typeof admin.sessionsByPayment>[1]['filter']>) =>
      (
        await admin.sessionsByPayment(scopeOf(t), {
          payment: 'declined',
          filter: { ...NONE, ...filter },
          after: null,
          limit: 9,
        })
      ).ids;
    expect(await listed({ status: 'open', currency: 'EUR' })).toEqual([id]);
    expect(await listed({ status: 'expired' })).toEqual([]);
    expect(await listed({ currency: 'CHF' })).toEqual([]);
    await t.clock.advance('2d');
    expect(await listed({ status: 'expired' })).toEqual([id]);
  });
});
