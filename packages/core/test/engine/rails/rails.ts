import { sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { createTestGate, type TestGate, type TestGateOptions, type TestResponse } from '@gateramp/testing';
import { expect } from 'vitest';

export const WALLET = '0x00000000000000000000000000000000000000aa';
export const IBAN = 'DE89370400440532013000';
export const HOLDER = 'Ada Example';

const CALLBACK_SECRET = 'rails-callback-secret';

type Json = TestResponse['json'];

/** Both kinds, each with the action that its money arrives by. */
export const KINDS = ['pay_in', 'pay_out'] as const;

export type Kind = (typeof KINDS)[number];

export async function railsGate(options: TestGateOptions = {}): Promise<TestGate> {
  const t = await createTestGate(options);
  return t.restart({ providers: [sandboxProvider({ ledger: t.ledger, callbackSecret: CALLBACK_SECRET })] });
}

let keys = 0;

export function freshKey(): string {
  return `rails-key-${(keys += 1)}`;
}

const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE', payment_method: 'bank_transfer' };

export async function quoteFor(t: TestGate, kind: Kind, changes: Json = {}): Promise<string> {
  const side = kind === 'pay_in' ? 'on_ramp' : 'off_ramp';
  const body = { ...ASK, side, ...changes };
  const made = await t.request('POST', '/v1/quotes', { key: t.keys.secret.test, body });
  expect(made.status, made.text).toBe(201);
  return String(made.json['id']);
}

export function bodyOf(kind: Kind, quoteId: string, changes: Json = {}): Json {
  const own =
    kind === 'pay_in'
      ? { wallet_address: WALLET }
      : { refund_address: WALLET, beneficiary: { type: 'iban', iban: IBAN, account_holder: HOLDER } };
  return { quote_id: quoteId, ...own, ...changes };
}

export function create(t: TestGate, kind: Kind, body: Json, idempotencyKey = freshKey()): Promise<TestResponse> {
  return t.request('POST', `/v1/rails/${kind}s`, { key: t.keys.secret.test, body, idempotencyKey });
}

/** A payment that waits for its money. */
export async function waiting(t: TestGate, kind: Kind, changes: Json = {}): Promise<Json> {
  const made = await create(t, kind, bodyOf(kind, await quoteFor(t, kind), changes));
  expect(made.status, made.text).toBe(201);
  expect(made.json['status']).toBe('requires_action');
  return made.json;
}

export function retrieve(t: TestGate, kind: Kind, id: unknown): Promise<TestResponse> {
  return t.request('GET', `/v1/rails/${kind}s/${String(id)}`, { key: t.keys.secret.test });
}

export function cancel(t: TestGate, kind: Kind, id: unknown): Promise<TestResponse> {
  return t.request('POST', `/v1/rails/${kind}s/${String(id)}/cancel`, { key: t.keys.secret.test });
}

export function simulate(t: TestGate, id: unknown, scenario: string): Promise<TestResponse> {
  const path = `/v1/test_helpers/rails/${String(id)}/simulate`;
  return t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
}

export async function transactionOf(t: TestGate, payment: Json): Promise<Json> {
  const path = `/v1/transactions/${String(payment['tx_refid'])}`;
  return (await t.request('GET', path, { key: t.keys.secret.test })).json;
}

let events = 0;

/** A report of the sandbox about an operation, sent as a callback. */
export function callback(t: TestGate, payment: Json, outcome: string): Promise<TestResponse> {
  const operationId = `op_${String(payment['id'])}`;
  const body = JSON.stringify({ event_id: `event-${(events += 1)}`, operation_id: operationId, outcome });
  const headers = { 'x-sandbox-signature': signSandboxCallback(body, CALLBACK_SECRET, t.gate.clock.wall()) };
  return t.request('POST', '/v1/providers/sandbox/callbacks', { headers, body });
}

/** Types and statuses of the webhooks about payments, in order. */
export async function delivered(t: TestGate): Promise<readonly string[]> {
  await t.gate.runDue();
  return t.deliveries().map(({ type, data }) => `${type} ${String(data['status'])}`);
}
