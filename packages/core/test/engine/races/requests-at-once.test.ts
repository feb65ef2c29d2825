import { describe, expect, it } from 'vitest';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { ConfirmOrder } from '@gateramp/core/ports';
import { createTestGate, type TestResponse } from '@gateramp/testing';
import { CARDS, checkout, story } from '../checkout.js';

const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

describe('concurrent requests', () => {
  it('create one session for one key; the others get 409 "Operation already in progress" or the same bytes', async () => {
    const t = await createTestGate();
    const send = () =>
      t.request('POST', '/v1/gate_sessions', { key: t.keys.secret.test, idempotencyKey: 'k', body: BODY });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const created = answers.filter((answer) => answer.status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map((answer) => answer.text)).size).toBe(1);
    for (const other of answers.filter((answer) => answer.status !== 201)) {
      expect(other.status).toBe(409);
      expect(other.json).toMatchObject({ code: 'operation_in_progress', message: 'Operation already in progress' });
    }
    expect((await sessions(t)).length).toBe(1);
  });

  it('that overlap one with the same key in this process get 409, and its bytes once it has committed', async () => {
    let commit = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const t = await createTestGate();
    const slow = t.restart({ store: { ...t.store, commit: async (change) => (await held, t.store.commit(change)) } });
    const send = () =>
      slow.request('POST', '/v1/gate_sessions', { key: t.keys.secret.test, idempotencyKey: 'k', body: BODY });
    const first = send();
    expect((await send()).json).toMatchObject({ statusCode: 409, message: 'Operation already in progress' });
    commit();
    expect((await send()).text).toBe((await first).text);
  });

  it('create one session per key across processes; all responses are the same bytes or 409', async () => {
    const t = await createTestGate();
    const processes = [t, t.restart(), t.restart(), t.restart()];
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        (processes[n % processes.length] ?? t).request('POST', '/v1/gate_sessions', {
          key: t.keys.secret.test,
          idempotencyKey: 'k',
          body: BODY,
        }),
      ),
    );
    expect(new Set(answers.filter((answer) => answer.status === 201).map((answer) => answer.text)).size).toBe(1);
    expect(answers.every((answer) => answer.status === 201 || answer.json['code'] === 'operation_in_progress')).toBe(
      true,
    );
    expect((await sessions(t)).length).toBe(1);
  });

  it('begin one intent per session; the other gets 409 intent_in_progress', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const answers = await Promise.all([shop.begin(CARDS.asksForACode), shop.begin(CARDS.asksForACode)]);
    expect(codes(answers)).toEqual(['201', 'intent_in_progress']);
    expect((await shop.session()).attempts).toBe(1);
  });

  it('confirm an intent once; the other gets 409, and the provider is called once', async () => {
    const confirmed: string[] = [];
    const provider = sandboxProvider();
    const counting = {
      ...provider,
      confirm: async (order: ConfirmOrder) => (confirmed.push(order.operationId), provider.confirm(order)),
    };
    const t = await createTestGate({ ports: { providers: [counting] } });
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    const answers = await Promise.all([shop.confirmCode(intentId), shop.confirmCode(intentId)]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409]);
    expect(confirmed).toHaveLength(1);
    await t.clock.advance('1m');
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
  });

  it('cancel a session once: one 200, the other 409 session_not_open, one gate_session.cancelled', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    expect(codes(await Promise.all([shop.cancel(), shop.cancel()]))).toEqual(['200', 'session_not_open']);
    expect(await story(shop)).toEqual(['created', 'cancelled']);
  });
});

function codes(answers: readonly TestResponse[]): readonly string[] {
  return answers
    .map((answer) => (typeof answer.json['code'] === 'string' ? answer.json['code'] : String(answer.status)))
    .toSorted();
}

async function sessions(t: Awaited<ReturnType<typeof createTestGate>>): Promise<readonly unknown[]> {
  const listed = await t.request('GET', '/v1/gate_sessions', { key: t.keys.secret.test });
  return listed.json['data'] as readonly unknown[];
}
