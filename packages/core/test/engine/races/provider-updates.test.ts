import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { sandboxProvider, signSandboxCallback } from '@gateramp/adapters-provider-sandbox';
import { NO_DETAILS } from '@gateramp/core/domain';
import { createTestGate, type TestGate, type TestGateOptions } from '@gateramp/testing';
import { CARDS, checkout, scopeOf, story, type Checkout } from '../checkout.js';
import { runs } from '../../../../../tests/depth.js';

const SECRET = 'callback-secret';

/** A gate whose provider signs callbacks. */
async function gateWithCallbacks(options: TestGateOptions = {}): Promise<TestGate> {
  const t = await createTestGate(options);
  return t.restart({ providers: [sandboxProvider({ ledger: t.ledger, callbackSecret: SECRET })] });
}

async function call(t: TestGate, shop: Checkout, intentId: string, eventId: string, outcome: string): Promise<number> {
  const { operationId } = await shop.intent(intentId);
  const body = JSON.stringify({ event_id: eventId, operation_id: operationId, outcome });
  const headers = { 'x-sandbox-signature': signSandboxCallback(body, SECRET, t.gate.clock.wall()) };
  return (await t.request('POST', '/v1/providers/sandbox/callbacks', { headers, body })).status;
}

const transactionOf = async (t: TestGate, shop: Checkout, intentId: string) =>
  t.store.find('transaction', scopeOf(t), (await shop.intent(intentId)).txRefid);

describe('an update of a provider', () => {
  it('counts whatever text it contains: characters that stores do not accept are replaced', async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.pays)).json['id']);
    const { operationId } = await shop.intent(intentId);
    const failure = {
      code: 'payment_declined',
      stage: 'payment',
      message: 'no \u0000 \ud800',
      retryable: true,
    } as const;
    const update = {
      eventId: 'evt-\u0000',
      operationId,
      outcome: { kind: 'failed', failure } as const,
      details: NO_DETAILS,
    };
    expect((await t.gate.intents.report('test', 'sandbox', update)).isOk()).toBe(true);
    expect((await shop.intent(intentId)).failure).toMatchObject({ message: 'no \ufffd \ufffd' });
    expect((await t.gate.intents.report('test', 'sandbox', { ...update, operationId: 'none\u0000' })).isErr()).toBe(
      true,
    );
  });
});

describe('callbacks of a provider', () => {
  it('about unknown operations are acknowledged, so that they are not repeated', async () => {
    const t = await createTestGate();
    const provider = { ...sandboxProvider(), parseCallback: async () => ({ kind: 'ignored' }) as const };
    const other = t.restart({ providers: [provider] });
    const answer = await other.request('POST', '/v1/providers/sandbox/callbacks', { body: '{}' });
    expect([answer.status, answer.json]).toEqual([200, { object: 'provider_callback', received: true }]);
  });

  it('in any order and number complete the session once, and the transaction ends at the highest rank', async () => {
    const outcomes = ['processing', 'succeeded', 'refunded'] as const;
    const calls = fc.shuffledSubarray([...outcomes, ...outcomes], { minLength: 6 });
    await fc.assert(
      fc.asyncProperty(calls, fc.boolean(), async (order, atOnce) => {
        const t = await gateWithCallbacks();
        const shop = await checkout(t);
        const intentId = String((await shop.begin(CARDS.pays)).json['id']);
        const send = (outcome: string) => call(t, shop, intentId, `event-${outcome}`, outcome);
        if (atOnce) await Promise.all(order.map(send));
        else for (const outcome of order) expect(await send(outcome)).toBe(200);
        // Clients repeat requests that got try_again.
        for (const outcome of order) await send(outcome);
        await t.clock.advance('5m');
        const types = await story(shop);
        const firstWord = order.find((outcome) => outcome !== 'processing');
        if (!atOnce && firstWord === 'refunded') expect(types.filter((type) => type === 'failed')).toHaveLength(1);
        expect(types.filter((type) => type === 'completed').length).toBeLessThanOrEqual(1);
        if (!atOnce && firstWord === 'succeeded') expect(types).toContain('completed');
        expect(types.filter((type) => type === 'processing')).toHaveLength(1);
        expect(await transactionOf(t, shop, intentId)).toMatchObject({ status: 'refunded' });
        expect((await shop.session()).sequence).toBe(types.length);
      }),
      { numRuns: runs(8, 80) },
    );
  });

  it('count once per event id, however often they are repeated', async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.pays)).json['id']);
    const statuses = await Promise.all(Array.from({ length: 10 }, () => call(t, shop, intentId, 'one', 'succeeded')));
    expect(statuses).toContain(200);
    expect(await call(t, shop, intentId, 'one', 'succeeded')).toBe(200);
    // The id decides, whatever the content is.
    expect(await call(t, shop, intentId, 'one', 'refunded')).toBe(200);
    expect(await story(shop)).toEqual(['created', 'processing', 'completed']);
    expect(await transactionOf(t, shop, intentId)).toMatchObject({ status: 'completed' });
  });

  it('of success after the session has closed settle only the transaction, raise an alarm and notify the partner', async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.asksForACode)).json['id']);
    await shop.cancel();
    expect(await call(t, shop, intentId, 'late', 'succeeded')).toBe(200);
    expect(await story(shop)).toEqual(['created', 'cancelled', 'transaction.updated']);
    expect(await shop.session()).toMatchObject({ status: 'cancelled', txRefid: null });
    expect(await transactionOf(t, shop, intentId)).toMatchObject({ status: 'completed', settledAfterClose: true });
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['settled_after_close']);
  });

  it('of success on a failed intent complete the open session', async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const intentId = String((await shop.begin(CARDS.declines)).json['id']);
    expect(await story(shop)).toEqual(['created', 'failed']);
    expect(await call(t, shop, intentId, 'late', 'succeeded')).toBe(200);
    expect(await story(shop)).toEqual(['created', 'failed', 'completed']);
    expect(await shop.session()).toMatchObject({ status: 'completed', txRefid: (await shop.intent(intentId)).txRefid });
  });

  it("of success on a failed intent end the session's live intent, which is cancelled at the provider", async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const first = String((await shop.begin(CARDS.declines)).json['id']);
    const rival = String((await shop.begin(CARDS.asksForACode)).json['id']);
    expect(await call(t, shop, first, 'late', 'succeeded')).toBe(200);
    expect(await shop.intent(rival)).toMatchObject({ status: 'cancelled' });
    await t.clock.advance('10m');
    const { operationId } = await shop.intent(rival);
    expect((await t.ledger.read(operationId))?.state.step).toBe('cancelled');
    expect(await story(shop)).toEqual(['created', 'failed', 'completed']);
  });

  it('of a second settlement, by an intent whose money was moving, raise an alarm and never complete twice', async () => {
    const t = await gateWithCallbacks();
    const shop = await checkout(t);
    const first = String((await shop.begin(CARDS.declines)).json['id']);
    const rival = String((await shop.begin(CARDS.pays)).json['id']);
    expect(await call(t, shop, first, 'late', 'succeeded')).toBe(200);
    await t.clock.advance('10m');
    expect(await story(shop)).toEqual(['created', 'failed', 'processing', 'completed', 'transaction.updated']);
    expect(await transactionOf(t, shop, rival)).toMatchObject({ status: 'completed', settledAfterClose: true });
    expect(t.telemetry.alarms.map((alarm) => alarm.name)).toEqual(['second_settlement']);
  });
});
