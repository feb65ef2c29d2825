import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { RefundOrder } from '@gateramp/core/ports';
import { operatorRefund } from '@gateramp/conformance';
import { createTestGate, testDeadlines } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { checkout, scopeOf, story } from '../checkout.js';
import { until } from '../until.js';
import { paid } from './paid.js';

const WHOLE = '100.00';

describe('a refund of a completed transaction', () => {
  it('is in full unless it has an amount, responds with 201 and the transaction, and is sent as transaction.updated', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const answer = await order.refund();
    expect([answer.status, answer.json['status'], answer.json['amount_refunded']]).toEqual([201, 'refunded', WHOLE]);
    expect(answer.json['refunds']).toMatchObject([
      { object: 'refund', amount: WHOLE, currency: 'EUR', status: 'succeeded', reason: null, failure: null },
    ]);
    expect(await order.moved()).toEqual([WHOLE]);
    await t.clock.advance('1m');
    expect(await story(order.shop)).toEqual(['created', 'processing', 'completed', 'transaction.updated']);
    expect(t.deliveries().at(-1)).toMatchObject({ type: 'transaction.updated', data: answer.json });
    expect((await order.shop.session()).status).toBe('completed');
  });

  it('in parts leaves the transaction completed until the last part, and refuses more than the remaining amount', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const first = await order.refund({ amount: '30', reason: 'Damaged item' });
    expect(first.json).toMatchObject({
      status: 'completed',
      amount_refunded: '30.00',
      refunds: [{ amount: '30.00', reason: 'Damaged item' }],
    });
    expect((await order.refund({ amount: '70.01' })).json).toMatchObject({
      statusCode: 422,
      code: 'refund_exceeds_amount',
    });
    expect((await order.refund({ amount: '1.001' })).json).toMatchObject({
      statusCode: 400,
      errors: [{ field: 'amount' }],
    });
    expect((await order.refund({ amount: '70.00' })).json).toMatchObject({
      status: 'refunded',
      amount_refunded: WHOLE,
    });
    expect((await order.refund()).json).toMatchObject({ statusCode: 409, code: 'refund_not_possible' });
    expect(await order.moved()).toEqual(['30.00', '70.00']);
  });

  it('that is declined moves nothing, says why, and releases its amount', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const declined = await order.refund({ amount: '13.13' });
    expect(declined.status).toBe(201);
    expect(declined.json).toMatchObject({
      status: 'completed',
      amount_refunded: null,
      refunds: [{ status: 'failed', failure: { code: 'refund_declined', message: 'The bank declined the refund.' } }],
    });
    expect((await order.refund()).json).toMatchObject({ status: 'refunded', amount_refunded: WHOLE });
    expect(await order.moved()).toEqual([WHOLE]);
  });

  it('that takes time is pending, holds its amount, and ends on its own', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const slow = await order.refund({ amount: '14.14' });
    expect(slow.json).toMatchObject({ amount_refunded: null, refunds: [{ amount: '14.14', status: 'pending' }] });
    expect((await order.refund({ amount: '85.87' })).json['code']).toBe('refund_exceeds_amount');
    expect(await story(order.shop)).toEqual(['created', 'processing', 'completed']);
    await t.clock.advance('61s');
    expect(await order.retrieve()).toMatchObject({ amount_refunded: '14.14', refunds: [{ status: 'succeeded' }] });
    expect(await story(order.shop)).toEqual(['created', 'processing', 'completed', 'transaction.updated']);
    expect(await order.moved()).toEqual(['14.14']);
  });

  it('is made once per key, which is required', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    // A host without types.
    const keyless = { idempotencyKey: undefined } as unknown as { readonly idempotencyKey: string };
    const refused = await t.gate.admin.refundTransaction(scopeOf(t), order.refid, {}, keyless);
    expect(refused._unsafeUnwrapErr().code).toBe('idempotency_key_required');
    const first = await order.refund({ amount: '10.00' }, 'one');
    expect((await order.refund({ amount: '10.00' }, 'one')).text).toBe(first.text);
    expect((await order.refund({ amount: '11.00' }, 'one')).json['code']).toBe('idempotency_key_mismatch');
    expect(await order.moved()).toEqual(['10.00']);
  });

  it('is refused for a transaction that is not completed or does not exist', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const intent = await shop.begin('4000000000003220');
    const refund = (refid: unknown) => operatorRefund(t, { refid: String(refid), body: {}, key: 'k' });
    expect((await refund(intent.json['tx_refid'])).json['code']).toBe('refund_not_possible');
    expect((await refund('gtx_00000000000000000000')).json['code']).toBe('transaction_not_found');
  });

  it('is refused if the provider cannot refund, or not this payment method', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const sandbox = sandboxProvider({ ledger: t.ledger });
    const { refund: _refund, lookupRefund: _lookup, ...unable } = sandbox;
    const fussy = {
      ...sandbox,
      capabilities: async () => ({ ...(await sandbox.capabilities(scopeOf(t))), refundable: [] }),
    };
    for (const provider of [unable, fussy]) {
      const refused = await order.on(t.restart({ providers: [provider] })).refund();
      expect(refused.json).toMatchObject({ statusCode: 409, code: 'refund_not_possible' });
    }
    expect((await order.retrieve()).refunds).toEqual([]);
  });

  it('is no endpoint for partners, and is recorded with the operator and the reason', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const { admin } = t.gate;
    const sent = { key: t.keys.secret.test, idempotencyKey: 'k', body: {} };
    const asked = await t.request('POST', `/v1/transactions/${order.refid}/refund`, sent);
    expect([asked.status, asked.json['code']]).toEqual([404, 'route_not_found']);
    expect(await order.moved()).toEqual([]);

    const ada = admin.as({ type: 'operator', id: 'ada' }, { reason: 'ticket 812' });
    const done = await ada.refundTransaction(scopeOf(t), order.refid, { amount: '5.00' }, { idempotencyKey: 'one' });
    expect(done._unsafeUnwrap()).toMatchObject({ object: 'transaction', amount_refunded: '5.00' });
    const [entry] = await admin.audit.list({ partnerId: t.partner.id, limit: 1 });
    expect(entry).toMatchObject({
      action: 'transaction.refund',
      actor: { type: 'operator', id: 'ada' },
      reason: 'ticket 812',
      target: { type: 'transaction', id: order.refid },
    });
  });

  it('committed by a process without providers is made by another one, once', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const command = order.on(t.restart({ providers: [] }));
    const first = await command.refund({ amount: '20.00', reason: 'Damaged item' }, 'one');
    expect(first.json).toMatchObject({ amount_refunded: null, refunds: [{ status: 'pending', amount: '20.00' }] });
    expect((await command.refund({ amount: '20.00', reason: 'Damaged item' }, 'one')).text).toBe(first.text);
    expect((await command.refund({ amount: '20.001' })).json['code']).toBe('validation_failed');
    expect((await command.refund({ amount: '80.01' })).json['code']).toBe('refund_exceeds_amount');
    await t.restart().clock.advance('1m');
    expect(await order.retrieve()).toMatchObject({ amount_refunded: '20.00', refunds: [{ status: 'succeeded' }] });
    expect(await order.moved()).toEqual(['20.00']);
  });
});

describe('a refund whose call is lost', () => {
  it('is looked up and, if the provider has never seen it, sent under the same id', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const sandbox = sandboxProvider({ ledger: t.ledger });
    const sent: string[] = [];
    const outage = { isOver: false };
    const flaky = t.restart({
      providers: [
        {
          ...sandbox,
          refund: async (refund: RefundOrder) => {
            sent.push(refund.refundId);
            if (!outage.isOver) throw new Error('The provider is away.');
            return sandbox.refund(refund);
          },
        },
      ],
    });
    const asked = await order.on(flaky).refund({ amount: '20.00' });
    expect(asked.json).toMatchObject({ refunds: [{ status: 'pending' }] });
    await flaky.clock.advance('10m');
    expect((await order.retrieve()).refunds).toMatchObject([{ status: 'pending' }]);
    outage.isOver = true;
    await flaky.clock.advance('20m');
    expect(await order.retrieve()).toMatchObject({ amount_refunded: '20.00', refunds: [{ status: 'succeeded' }] });
    expect(new Set(sent).size).toBe(1);
    expect(await order.moved()).toEqual(['20.00']);
  });

  it('that took effect is found by a look-up and never sent again', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const sandbox = sandboxProvider({ ledger: t.ledger });
    let sent = 0;
    const deaf = t.restart({
      providers: [
        {
          ...sandbox,
          refund: async (refund: RefundOrder) => {
            sent += 1;
            await sandbox.refund(refund);
            throw new Error('The answer is lost.');
          },
        },
      ],
    });
    await order.on(deaf).refund();
    await deaf.clock.advance('1m');
    expect([(await order.retrieve()).status, sent]).toEqual(['refunded', 1]);
    expect(await order.moved()).toEqual([WHOLE]);
  });

  it('and one that takes longer than 8 s is returned as pending, and its outcome follows', async () => {
    const t = await createTestGate();
    const order = await paid(t);
    const sandbox = sandboxProvider({ ledger: t.ledger });
    const deadlines = testDeadlines();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const slow = t.restart({
      deadlines,
      providers: [{ ...sandbox, refund: async (refund: RefundOrder) => (await opened, sandbox.refund(refund)) }],
    });
    const asked = order.on(slow).refund({}, 'slow');
    await until(() => deadlines.waiting.length > 0);
    deadlines.expire();
    const answer = await asked;
    expect([answer.status, answer.json['refunds']]).toMatchObject([201, [{ status: 'pending' }]]);
    open();
    await until(async () => (await order.retrieve()).status === 'refunded');
    expect((await order.on(slow).refund({}, 'slow')).text).toBe(answer.text);
    expect(await order.moved()).toEqual([WHOLE]);
  });
});
