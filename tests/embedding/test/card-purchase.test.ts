import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { cardProvider } from '../card-provider.js';
import { CARDS, FakeProcessor, SECRETS } from '../fake-processor.js';

it('a buyer pays once, and the engine finds out that the payment has succeeded', async () => {
  const processor = new FakeProcessor();
  const t = await createTestGate({ ports: { providers: [cardProvider(processor, SECRETS)] } });
  const session = await t.createSession({ amount: '100.00' });
  const paid = await t.request('POST', '/v1/embed/intents', {
    headers: { 'x-embed-token': await t.embed(session) }, // the buyer's checkout
    idempotencyKey: 'attempt-1',
    body: {
      ...{ flow: 'on_ramp', amount: '100.00', currency: 'EUR', payment_method: 'card' },
      wallet_address: '0x00000000000000000000000000000000000000aa',
      payment_details: { card_number: CARDS.paid, expiry: '12/39', cvc: '123' },
    },
  });
  expect(paid).toMatchObject({ status: 201, json: { status: 'processing' } });

  processor.now += 10_000; // the processor has settled
  await t.clock.advance('1m'); // the engine looks the operation up
  expect((await t.retrieveSession(session.id)).status).toBe('completed');
  expect(t.deliveries().at(-1)).toMatchObject({ type: 'gate_session.completed', verified: true });
  expect(processor.money()).toEqual({ taken: '100', returned: '0' });
});
