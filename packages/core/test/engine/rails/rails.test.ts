import type { TestGate } from '@gateramp/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_DETAILS, type Outcome } from '../../../src/domain/purchase/outcome.js';
import {
  bodyOf,
  callback,
  cancel,
  create,
  freshKey,
  IBAN,
  KINDS,
  quoteFor,
  railsGate,
  retrieve,
  simulate,
  delivered,
  transactionOf,
  waiting,
  WALLET,
} from './rails.js';

let t: TestGate;

beforeEach(async () => {
  t = await railsGate();
});

it('a pay-in has instructions for the transfer, and completes when the transfer has arrived', async () => {
  const quoteId = await quoteFor(t, 'pay_in');
  const body = bodyOf('pay_in', quoteId, { user_reference: 'order-7', metadata: { b: 1, a: 1.0 } });
  const made = await create(t, 'pay_in', body);
  expect(made.status, made.text).toBe(201);
  expect(made.json).toMatchObject({
    object: 'pay_in',
    partner_id: t.partner.id,
    mode: 'test',
    status: 'requires_action',
    quote_id: quoteId,
    flow: 'on_ramp',
    source: { amount: '100.00', currency: 'EUR', network: null },
    destination: { currency: 'USDC', network: 'base' },
    payment_method: 'bank_transfer',
    instructions: { type: 'bank_transfer', amount: '100.00', currency: 'EUR' },
    wallet_address: WALLET,
    failure: null,
    user_reference: 'order-7',
    metadata: { b: 1, a: 1 },
    completed_at: null,
  });
  expect((await retrieve(t, 'pay_in', made.json['id'])).json).toEqual(made.json);
  expect((await transactionOf(t, made.json))['session_id']).toBeNull();

  expect((await simulate(t, made.json['id'], 'processing')).json).toMatchObject({ status: 'processing' });
  const settled = await simulate(t, made.json['id'], 'succeed');
  expect(settled.json).toMatchObject({ status: 'succeeded', instructions: made.json['instructions'] });
  expect(settled.json['completed_at']).not.toBeNull();
  expect(await transactionOf(t, made.json)).toMatchObject({ status: 'completed', intent_id: made.json['id'] });
  expect(await delivered(t)).toEqual([
    'pay_in.updated requires_action',
    'pay_in.updated processing',
    'pay_in.updated succeeded',
  ]);
  expect(t.deliveries().at(-1)?.data).toEqual(settled.json);
  expect(t.deliveries().map(({ sequence }) => sequence)).toEqual([null, null, null]);
});

it('a pay-out has a deposit address for the crypto, and redacts its beneficiary', async () => {
  const made = await waiting(t, 'pay_out');
  expect(made).toMatchObject({
    object: 'pay_out',
    flow: 'off_ramp',
    deposit: { asset: 'USDC', network: 'base', memo: null },
    beneficiary: { type: 'iban', display: 'DE••3000' },
    refund_address: WALLET,
  });
  expect(Object.keys(made)).not.toContain('instructions');
  expect((await simulate(t, made['id'], 'succeed')).json['status']).toBe('succeeded');
  expect(await delivered(t)).toEqual(['pay_out.updated requires_action', 'pay_out.updated succeeded']);
  expect(JSON.stringify(t.deliveries())).not.toContain(IBAN);
});

describe.each(KINDS)('%s', (kind) => {
  it('a quote is used once, even by concurrent requests', async () => {
    const body = bodyOf(kind, await quoteFor(t, kind));
    const answers = await Promise.all([create(t, kind, body), create(t, kind, body), create(t, kind, body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.map(({ json }) => json['code'])).toEqual(['quote_already_used', 'quote_already_used']);
    expect(
      (await t.request('GET', `/v1/quotes/${String(body['quote_id'])}`, { key: t.keys.secret.test })).json,
    ).toMatchObject({ status: 'used' });
  });

  it('a repeat is byte-equal, whatever the state of the payment; another body with its key is 422', async () => {
    const body = bodyOf(kind, await quoteFor(t, kind));
    const key = freshKey();
    const first = await create(t, kind, body, key);
    await simulate(t, first.json['id'], 'fail');
    await t.clock.advance('10m');
    const again = await create(t, kind, body, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const other = await create(t, kind, { ...body, user_reference: 'other' }, key);
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_mismatch']);
  });

  it('can be cancelled while it waits for its money, and never afterwards', async () => {
    const made = await waiting(t, kind);
    const cancelled = await cancel(t, kind, made['id']);
    expect([cancelled.status, cancelled.json['status']]).toEqual([200, 'cancelled']);
    expect(await delivered(t)).toEqual([`${kind}.updated requires_action`, `${kind}.updated cancelled`]);
    for (const scenario of ['processing', 'succeed', 'fail']) {
      const moving = await waiting(t, kind);
      await simulate(t, moving['id'], scenario);
      const refused = await cancel(t, kind, moving['id']);
      expect([refused.status, refused.json['code']]).toEqual([409, 'intent_not_confirmable']);
    }
    expect((await cancel(t, kind, made['id'])).json['code']).toBe('intent_not_confirmable');
  });

  it('fails if its money does not arrive in time, by the clock alone or on the first read', async () => {
    for (const reads of [true, false]) {
      const made = await waiting(t, kind);
      const asked = (made['instructions'] ?? made['deposit']) as { readonly expires_at: string };
      await t.clock.advance(Date.parse(asked.expires_at) - t.clock.now('test'));
      expect((await retrieve(t, kind, made['id'])).json['status']).toBe('requires_action');
      await t.clock.advance(reads ? 1 : '1m');
      const list = await t.request('GET', `/v1/rails/${kind}s?limit=1`, { key: t.keys.secret.test });
      expect(list.json['data']).toMatchObject([{ id: made['id'], status: 'failed', failure: { retryable: true } }]);
      expect((await transactionOf(t, made))['status']).toBe('failed');
    }
    expect(t.telemetry.failures).toEqual([]);
  });

  it('money that arrives after the end changes only the transaction, and is announced', async () => {
    const made = await waiting(t, kind);
    await cancel(t, kind, made['id']);
    await t.gate.runDue();
    expect((await callback(t, made, 'succeeded')).status).toBe(200);
    expect((await retrieve(t, kind, made['id'])).json['status']).toBe('cancelled');
    expect(await transactionOf(t, made)).toMatchObject({ status: 'completed', settled_after_close: true });
    expect(t.telemetry.alarms.map(({ name }) => name)).toEqual(['settled_after_close']);
    await callback(t, made, 'refunded');
    expect(await delivered(t)).toEqual([
      `${kind}.updated requires_action`,
      `${kind}.updated cancelled`,
      'transaction.updated completed',
      'transaction.updated refunded',
    ]);
  });

  it('is refunded and charged back after success, as its transaction shows', async () => {
    const made = await waiting(t, kind);
    await callback(t, made, 'processing');
    await callback(t, made, 'succeeded');
    await callback(t, made, 'charged_back');
    expect((await retrieve(t, kind, made['id'])).json['status']).toBe('succeeded');
    expect((await transactionOf(t, made))['status']).toBe('charged_back');
    expect((await delivered(t)).slice(1)).toEqual([
      `${kind}.updated processing`,
      `${kind}.updated succeeded`,
      'transaction.updated charged_back',
    ]);
  });

  it('stays as it is when a part is charged back, as its transaction shows until the dispute is won', async () => {
    const made = await waiting(t, kind);
    await callback(t, made, 'succeeded');
    const dispute = { id: 'dp_1', amount: '1.00' };
    const report = async (eventId: string, outcome: Outcome) => {
      const operationId = `op_${String(made['id'])}`;
      await t.gate.intents.report('test', 'sandbox', { eventId, operationId, outcome, details: NO_DETAILS });
      return transactionOf(t, made);
    };
    const open = { kind: 'charged_back', dispute: { ...dispute, status: 'open' } } as const;
    expect((await report('e1', open))['disputes']).toMatchObject([{ id: 'dp_1', status: 'open' }]);
    const won = await report('e2', { kind: 'dispute_won', dispute });
    expect(won).toMatchObject({ status: 'completed', disputes: [{ id: 'dp_1', status: 'won' }] });
    expect((await retrieve(t, kind, made['id'])).json['status']).toBe('succeeded');
    expect((await delivered(t)).slice(-2)).toEqual(['transaction.updated completed', 'transaction.updated completed']);
  });

  it('an update reported in process applies to it too, once', async () => {
    const made = await waiting(t, kind);
    const report = {
      eventId: 'e1',
      operationId: `op_${String(made['id'])}`,
      outcome: { kind: 'succeeded' } as const,
      details: { source: null, destination: null, exchangeRate: null, fees: null, feeTotal: null, txHash: '0xabc' },
    };
    const first = await t.gate.intents.report('test', 'sandbox', report);
    const second = await t.gate.intents.report('test', 'sandbox', report);
    expect([first._unsafeUnwrap().fresh, second._unsafeUnwrap().fresh]).toEqual([true, false]);
    expect((await retrieve(t, kind, made['id'])).json['status']).toBe('succeeded');
    expect((await transactionOf(t, made))['tx_hash']).toBe('0xabc');
  });

  it('raises an alarm when it has been held for a day', async () => {
    const made = await waiting(t, kind);
    await t.clock.advance('1m');
    await simulate(t, made['id'], 'processing');
    await t.clock.advance('25h');
    expect(t.telemetry.alarms.map(({ name }) => name)).toEqual(['payment_held_too_long']);
  });
});
