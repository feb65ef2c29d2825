import { DAY, MINUTE } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { CARDS, checkout, scopeOf, story, type Checkout } from '../checkout.js';

async function simulate(t: TestGate, shop: Checkout, scenario: string): Promise<string> {
  const path = `/v1/test_helpers/gate_sessions/${shop.id}/simulate`;
  const played = await t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
  expect(played.status, played.text).toBe(200);
  return String(played.json['id']);
}

const failureOf = async (shop: Checkout, intentId: string) => (await shop.intent(intentId)).failure?.code ?? null;

describe('a required action expires after 30 minutes, without a read', () => {
  it.each([
    ['kyc_abandoned', (t: TestGate, shop: Checkout) => simulate(t, shop, 'abandon'), {}],
    [
      'payment_expired',
      async (_t: TestGate, shop: Checkout) => String((await shop.begin(CARDS.asksForACode)).json['id']),
      {},
    ],
    ['deposit_not_received', (t: TestGate, shop: Checkout) => deposit(t, shop), { flow: 'off_ramp' as const }],
  ])('as %s', async (code, begin, body) => {
    const t = await createTestGate();
    const shop = await checkout(t, body);
    const intentId = await begin(t, shop);
    await t.clock.advance(30 * MINUTE);
    expect(await shop.intent(intentId)).toMatchObject({ status: 'requires_action' });
    await t.clock.advance(1);
    expect(await shop.intent(intentId)).toMatchObject({ status: 'failed', failure: { code, retryable: true } });
    expect((await story(shop)).filter((type) => type === 'failed')).toHaveLength(1);
    expect(await shop.session()).toMatchObject({ status: 'open', intentId: null });
    const { operationId } = await shop.intent(intentId);
    expect((await t.ledger.read(operationId))?.state.step).toBe('cancelled');
  });

  it('or at the first read after that, if no worker runs', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    await t.clock.advanceTo(t.clock.now('test') + 30 * MINUTE + 1);
    const reads = await Promise.all(Array.from({ length: 8 }, () => shop.look(intentId)));
    expect(new Set(reads.map((read) => read.json['status']))).toEqual(new Set(['failed']));
    expect(await failureOf(shop, intentId)).toBe('payment_expired');
    expect((await story(shop)).filter((type) => type === 'failed')).toHaveLength(1);
  });
});

async function deposit(t: TestGate, shop: Checkout): Promise<string> {
  await simulate(t, shop, 'kyc_required');
  const [found] = await t.store.list(
    'transaction',
    scopeOf(t),
    { ...ANY, sessionId: shop.id },
    { limit: 1, start: { kind: 'newest' } },
  );
  const intentId = found?.intentId ?? '';
  const kyc = { first_name: 'Ada', last_name: 'Example', date_of_birth: '1990-01-01', document_number: 'X1' };
  await shop.confirm(intentId, { action: 'kyc', kyc });
  expect((await shop.intent(intentId)).nextAction?.type).toBe('crypto_deposit');
  return intentId;
}

const ANY = { status: null, flow: null, sessionId: null, userReference: null, createdAfter: null, createdBefore: null };

describe('a session whose intent is processing', () => {
  it('is held: it neither expires nor can be cancelled, an alarm is raised after 24 h, and it expires once the intent has failed', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const intentId = await simulate(t, shop, 'processing');
    await t.clock.advance(DAY - 1);
    expect(t.telemetry.alarms).toEqual([]);
    await t.clock.advance(2);
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['session_held_too_long']);
    expect((await shop.retrieve()).json['status']).toBe('open');
    const cancelled = await shop.cancel();
    expect([cancelled.status, cancelled.json['code']]).toEqual([409, 'session_processing']);
    const open = await t.request('GET', '/v1/gate_sessions?status=open', { key: t.keys.secret.test });
    expect(open.json['data']).toHaveLength(1);
    await t.gate.intents.report('test', 'sandbox', await failed(shop, intentId));
    expect((await shop.retrieve()).json['status']).toBe('expired');
    expect(await story(shop)).toEqual(['created', 'processing', 'failed', 'expired']);
  });

  it('raises no alarm for a hold younger than a day, even if an earlier one began a day ago', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const first = await simulate(t, shop, 'processing');
    await t.clock.advance('1h');
    await t.gate.intents.report('test', 'sandbox', await failed(shop, first));
    await t.clock.advance('22h');
    await simulate(t, shop, 'processing');
    await t.clock.advance('20h');
    expect(t.telemetry.alarms).toEqual([]);
    await t.clock.advance('4h');
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['session_held_too_long']);
  });

  it('under the strict policy expires and can be cancelled anyway, and money that settles later is recorded', async () => {
    const t = await createTestGate({ policy: { expiry: 'strict' } });
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.pays)).json['id']);
    expect((await shop.cancel()).status).toBe(200);
    await t.clock.advance('5m');
    expect(await story(shop)).toEqual(['created', 'processing', 'cancelled', 'transaction.updated']);
    const transaction = await t.store.find('transaction', scopeOf(t), (await shop.intent(intentId)).txRefid);
    expect(transaction).toMatchObject({ status: 'completed', settledAfterClose: true });
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['settled_after_close']);
  });
});

async function failed(shop: Checkout, intentId: string) {
  const { operationId } = await shop.intent(intentId);
  const failure = {
    code: 'settlement_error',
    stage: 'payment',
    message: 'It did not settle.',
    retryable: true,
  } as const;
  const details = { source: null, destination: null, exchangeRate: null, fees: null, feeTotal: null, txHash: null };
  return { eventId: `failed-${intentId}`, operationId, outcome: { kind: 'failed' as const, failure }, details };
}

describe('a session that is cancelled', () => {
  it('has the operation of its live intent cancelled at the provider', async () => {
    const t = await createTestGate();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    expect((await shop.cancel()).status).toBe(200);
    await t.gate.runDue();
    const { operationId, status } = await shop.intent(intentId);
    expect(status).toBe('cancelled');
    expect((await t.ledger.read(operationId))?.state.step).toBe('cancelled');
    expect((await shop.confirmCode(intentId)).json['code']).toBe('intent_not_confirmable');
  });
});
