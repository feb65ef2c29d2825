import assert from 'node:assert/strict';
import { SANDBOX_CARDS, SANDBOX_PAYMENT_TOKENS } from '@gateramp/adapters-provider-sandbox';
import {
  attempt,
  buyer,
  card,
  confirm,
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  simulate,
  textOf,
} from '../kit.js';
import { actionOf, begin, delivered, failureCode, readIntent, SETTLED, statusOf } from './scene.js';

const TOPIC = 'HTTP: what the buyer does at the provider’s';

const tokenOf = (token: string, provider = 'sandbox'): Members => ({ payment_details: { provider, token } });

const COMPONENT = tokenOf(SANDBOX_PAYMENT_TOKENS.sandboxPay);

const HANDOVERS: readonly { readonly action: string; readonly body: Members; readonly members: readonly string[] }[] = [
  { action: 'redirect', body: card(SANDBOX_CARDS.needsRedirect), members: ['expires_at', 'type', 'url'] },
  {
    action: 'provider_component',
    body: COMPONENT,
    members: ['client_secret', 'expires_at', 'provider', 'public_key', 'type'],
  },
];

const both: readonly Law<HttpSubject>[] = HANDOVERS.flatMap(({ action, body, members }) => [
  httpLaw(
    TOPIC,
    `${action} is asked for with all that a browser needs, and is read as it was answered`,
    async (world) => {
      const { token } = await buyer(world);
      const intent = await begin(world, token, body);
      assert.deepEqual([intent['status'], actionOf(intent)['type']], ['requires_action', action]);
      assert.deepEqual(Object.keys(actionOf(intent)).sort(), members);
      assert.deepEqual(actionOf(await readIntent(world, token, intent)), actionOf(intent));
      assert.equal(intent['expires_at'], actionOf(intent)['expires_at']);
    },
  ),
  httpLaw(
    TOPIC,
    `confirming ${action} asks the provider: while it waits, the same is asked for until the same time`,
    async (world) => {
      const { token } = await buyer(world);
      const intent = await begin(world, token, body);
      await world.t.clock.advance('2m');
      const id = textOf(intent, 'id');
      const again = expectStatus(await confirm(world, token, id, { action }), 200).json;
      assert.deepEqual(actionOf(again), actionOf(intent));
      assert.deepEqual([again['status'], again['expires_at']], ['requires_action', intent['expires_at']]);
    },
  ),
  httpLaw(TOPIC, `${action} takes no data, and nothing else confirms it`, async (world) => {
    const { token } = await buyer(world);
    const id = textOf(await begin(world, token, body), 'id');
    expectRefusal(await confirm(world, token, id, { action, code: '000000' }), 400, 'unknown_field');
    const code = { action: 'payment_authentication', code: '000000' };
    expectRefusal(await confirm(world, token, id, code), 409, 'intent_not_confirmable');
    const other = action === 'redirect' ? 'provider_component' : 'redirect';
    expectRefusal(await confirm(world, token, id, { action: other }), 409, 'intent_not_confirmable');
  }),
  httpLaw(TOPIC, `an attempt whose ${action} was finished settles`, async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, body);
    expectStatus(await simulate(world, sessionId, 'succeed'), 200);
    await world.t.clock.advance(SETTLED);
    assert.equal((await readIntent(world, token, intent))['status'], 'succeeded');
    assert.equal(await statusOf(world, sessionId), 'completed');
    assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
  }),
  httpLaw(
    TOPIC,
    `a ${action} that is never finished lapses at its own time, and leaves the session open`,
    async (world) => {
      const { token, sessionId } = await buyer(world);
      const intent = await begin(world, token, body);
      await world.t.clock.advance('15m');
      assert.equal((await readIntent(world, token, intent))['status'], 'requires_action');
      await world.t.clock.advance(1);
      const lapsed = await readIntent(world, token, intent);
      assert.deepEqual(
        [lapsed['status'], failureCode(lapsed), lapsed['next_action']],
        ['failed', 'payment_expired', null],
      );
      assert.equal(await statusOf(world, sessionId), 'open');
    },
  ),
]);

export const handoverLaws: readonly Law<HttpSubject>[] = [
  ...both,
  httpLaw(TOPIC, 'a repeat under the same key shows the same client secret', async (world) => {
    const { token } = await buyer(world);
    const idempotencyKey = freshKey();
    const first = expectStatus(await attempt(world, token, COMPONENT, { idempotencyKey }), 201);
    const again = expectStatus(await attempt(world, token, COMPONENT, { idempotencyKey }), 201);
    assert.equal(again.text, first.text);
  }),
  httpLaw(TOPIC, 'a token pays in place of a card, and is echoed nowhere', async (world) => {
    const { token } = await buyer(world);
    const answer = expectStatus(await attempt(world, token, tokenOf(SANDBOX_PAYMENT_TOKENS.succeeds)), 201);
    assert.equal(answer.json['status'], 'processing');
    assert.equal(answer.text.includes(SANDBOX_PAYMENT_TOKENS.succeeds), false);
    await world.t.clock.advance(SETTLED);
    assert.equal((await readIntent(world, token, answer.json))['status'], 'succeeded');
  }),
  httpLaw(TOPIC, 'a token of a provider that the attempt does not go to is refused', async (world) => {
    const { token } = await buyer(world);
    const answer = await attempt(world, token, tokenOf('tok_1', 'nobody'));
    expectRefusal(answer, 400, 'validation_failed');
    assert.ok(answer.text.includes('payment_details.provider'));
  }),
  httpLaw(TOPIC, 'a card and a token together, or half of either, are refused', async (world) => {
    const { token } = await buyer(world);
    const details = (payment_details: Members) => attempt(world, token, { payment_details });
    const number = SANDBOX_CARDS.succeeds;
    for (const faulty of [
      { provider: 'sandbox' },
      { token: 'tok_succeeds' },
      { card_number: number },
      { card_number: number, expiry: '12/49', cvc: '123', provider: 'sandbox', token: 'tok_succeeds' },
    ])
      expectRefusal(await details(faulty), 400, 'validation_failed');
  }),
];
