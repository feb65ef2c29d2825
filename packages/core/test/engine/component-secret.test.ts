import { SANDBOX_PAYMENT_TOKENS, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { createTestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { attemptBody, CARDS, checkout, scopeOf } from './checkout.js';

const COMPONENT = { provider: 'sandbox', token: SANDBOX_PAYMENT_TOKENS.sandboxPay };

it('no row contains the client secret of a component, and the buyer can read it repeatedly', async () => {
  const t = await createTestGate();
  const created = await t.createSession({ amount: '100.00' });
  const headers = { 'x-embed-token': await t.embed(created) };
  const body = { ...attemptBody('100.00', CARDS.pays), payment_details: COMPONENT };
  const begun = await t.request('POST', '/v1/embed/intents', { headers, body });
  const { client_secret: secret } = Object(begun.json['next_action']);
  expect(secret).toMatch(/^sbx_secret_/);
  const id = String(begun.json['id']);
  const row = await t.store.find('intent', scopeOf(t), id);
  expect(row?.nextAction?.type).toBe('provider_component');
  expect(JSON.stringify(row)).not.toContain(secret);
  const read = await t.request('GET', `/v1/embed/intents/${id}`, { headers });
  expect(Object(read.json['next_action']).client_secret).toBe(secret);
});

it('a redirect confirmation is repeated after a crash, because it contains no data that could be lost', async () => {
  const sandbox = sandboxProvider();
  let isLost = true;
  const t = await createTestGate({
    ports: {
      providers: [
        {
          ...sandbox,
          confirm: async (order) => {
            if (!isLost) return sandbox.confirm(order);
            isLost = false;
            throw new Error('The connection was reset.');
          },
        },
      ],
    },
  });
  const buyer = await checkout(t, { amount: '100.00' });
  const begun = await buyer.begin('4000000000003063');
  const id = String(begun.json['id']);
  const { operationId } = await buyer.intent(id);
  await buyer.confirm(id, { action: 'redirect' });
  expect((await buyer.intent(id)).stepTaskId).not.toBeNull();
  await sandbox.control.plan(operationId, 'succeed', t.clock.now('test'));
  await t.clock.advance('2m');
  expect((await buyer.intent(id)).status).toBe('succeeded');
});
