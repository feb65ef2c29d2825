import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { ProviderAnswer, StartOrder } from '@gateramp/core/ports';
import { createTestGate, testDeadlines, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { until } from '../until.js';
import {
  bodyOf,
  cancel,
  create,
  freshKey,
  HOLDER,
  IBAN,
  KINDS,
  quoteFor,
  retrieve,
  delivered,
  transactionOf,
} from './rails.js';

describe.each(KINDS)('a %s whose provider', (kind) => {
  it('takes longer than 8 s is returned as `created`, cannot be cancelled, and continues when the provider answers', async () => {
    const deadlines = testDeadlines();
    const t = await createTestGate();
    const gate = openable();
    const sandbox = sandboxOf(t);
    const start = async (order: StartOrder) => (await gate.opened, sandbox.start(order));
    const slow = t.restart({ deadlines, providers: [{ ...sandbox, start }] });
    const body = bodyOf(kind, await quoteFor(t, kind));
    const key = freshKey();
    const asked = create(slow, kind, body, key);
    await until(() => deadlines.waiting.length > 0);
    deadlines.expire();
    const answer = await asked;
    expect([answer.status, answer.json['status']]).toEqual([201, 'created']);
    expect(answer.json[kind === 'pay_in' ? 'instructions' : 'deposit']).toBeNull();
    expect((await cancel(t, kind, answer.json['id'])).json['code']).toBe('intent_not_confirmable');
    gate.open();
    await until(async () => (await retrieve(t, kind, answer.json['id'])).json['status'] === 'requires_action');
    expect((await create(slow, kind, body, key)).text).toBe(answer.text);
    expect(await delivered(t)).toEqual([`${kind}.updated requires_action`]);
  });

  it('accepted the order and stopped responding is asked for its state: the account is not sent again', async () => {
    const t = await createTestGate();
    const sandbox = sandboxOf(t);
    const orders: StartOrder[] = [];
    const start = async (order: StartOrder): Promise<ProviderAnswer> => {
      orders.push(order);
      await sandbox.start(order);
      throw new Error('The line went dead.');
    };
    const broken = t.restart({ providers: [{ ...sandbox, start }] });
    const { json } = await create(broken, kind, bodyOf(kind, await quoteFor(t, kind)));
    expect(json['status']).toBe('created');
    await broken.clock.advance('1m');
    expect((await retrieve(t, kind, json['id'])).json['status']).toBe('requires_action');
    expect(orders).toHaveLength(1);
    expect(orders[0]?.payoutDetails).toEqual(
      kind === 'pay_in' ? null : { type: 'iban', iban: IBAN, accountHolder: HOLDER },
    );
    expect(orders[0]?.rails?.providerQuoteId).toMatch(/^quote_/);
  });

  it('never received the order cancels it: the payment fails as retryable, and its quote is used', async () => {
    const t = await createTestGate();
    const start = () => Promise.reject(new Error('No route to the provider.'));
    const broken = t.restart({ providers: [{ ...sandboxOf(t), start }] });
    const { json } = await create(broken, kind, bodyOf(kind, await quoteFor(t, kind)));
    await broken.clock.advance('1m');
    const failed = (await retrieve(t, kind, json['id'])).json;
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'error', retryable: true } });
    expect((await t.ledger.read(`op_${String(json['id'])}`))?.state.step).toBe('cancelled');
    expect((await create(t, kind, bodyOf(kind, String(json['quote_id'])))).json['code']).toBe('quote_already_used');
  });

  it('requires identity data, which is not possible, is asked to cancel the operation, and the payment fails', async () => {
    const t = await createTestGate();
    const sandbox = sandboxOf(t);
    const asksForIdentity = async (order: StartOrder): Promise<ProviderAnswer> => {
      const answer = await sandbox.start(order);
      return {
        ...answer,
        outcome: { kind: 'requires_action', nextAction: { type: 'kyc', level: 'basic', fields: [] } },
      };
    };
    const strict = t.restart({ providers: [{ ...sandbox, start: asksForIdentity }] });
    const { status, json } = await create(strict, kind, bodyOf(kind, await quoteFor(t, kind)));
    expect([status, json['status'], json['failure']]).toMatchObject([201, 'failed', { code: 'kyc_rejected' }]);
    await strict.clock.advance('1m');
    expect((await t.ledger.read(`op_${String(json['id'])}`))?.state.step).toBe('cancelled');
    expect((await transactionOf(t, json))['status']).toBe('failed');
    expect(await delivered(t)).toEqual([`${kind}.updated failed`]);
  });

  it('settles it uses no slot of the session quota', async () => {
    const t = await createTestGate({ partner: { completedSessionsQuota: 1 } });
    for (const _ of [1, 2]) {
      const { json } = await create(t, kind, bodyOf(kind, await quoteFor(t, kind)));
      const path = `/v1/test_helpers/rails/${String(json['id'])}/simulate`;
      await t.request('POST', path, { key: t.keys.secret.test, body: { scenario: 'succeed' } });
    }
    const session = await t.createSession();
    await t.settle(session.id);
    expect((await t.retrieveSession(session.id)).status).toBe('completed');
  });
});

function sandboxOf(t: TestGate) {
  return sandboxProvider({ ledger: t.ledger });
}

function openable(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
