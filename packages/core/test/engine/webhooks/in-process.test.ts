import { expect, it } from 'vitest';
import { partnerTools, deadLettered, DELIVERIES } from './partner-tools.js';

it('gate.webhooks returns and refuses the same as HTTP', async () => {
  const { t, get, scope } = await partnerTools();
  const { webhooks } = t.gate;
  const [id = ''] = await deadLettered(t, 2);
  const listed = (await webhooks.deliveries.list(scope, { status: 'dead_lettered', limit: 1 }))._unsafeUnwrap();
  const over = await get(`${DELIVERIES}?status=dead_lettered&limit=1`);
  expect({ ...over.json, ...listed }).toEqual(over.json);
  const shown = (await webhooks.deliveries.retrieve(scope, id))._unsafeUnwrap();
  expect(shown).toEqual((await get(`${DELIVERIES}/${id}`)).json);
  const replayed = (await webhooks.deliveries.replay(scope, id, { idempotencyKey: 'key-1' }))._unsafeUnwrap();
  expect(replayed).toMatchObject({ id, status: 'pending', replay_count: 1 });
  expect((await webhooks.deliveries.replay(scope, id, { idempotencyKey: 'key-1' }))._unsafeUnwrap()).toEqual(replayed);
  expect((await webhooks.deliveries.replayAll(scope))._unsafeUnwrap()).toMatchObject({ replayed: 1, has_more: false });
  expect((await webhooks.rotateSecret(scope, { grace_period_seconds: 60 }))._unsafeUnwrap()).toMatchObject({
    object: 'webhook_secret',
    previous_expires_at: new Date(t.clock.now('test') + 60_000).toISOString(),
  });
  expect((await webhooks.test(scope))._unsafeUnwrap()).toMatchObject({ type: 'webhook.test' });
  const refusals = [
    webhooks.deliveries.retrieve({ ...scope, mode: 'live' }, id),
    webhooks.deliveries.replay(scope, id),
    webhooks.deliveries.list(scope, { limit: 0 }),
    webhooks.deliveries.replayAll(scope, { limit: 0 }),
    webhooks.rotateSecret(scope, { grace_period_seconds: -1 }),
  ];
  const codes = (await Promise.all(refusals)).map((refused) => refused._unsafeUnwrapErr().code);
  expect(codes).toEqual([
    'delivery_not_found',
    'delivery_not_dead_lettered',
    'validation_failed',
    'validation_failed',
    'validation_failed',
  ]);
});
