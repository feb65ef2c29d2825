import { createTestGate, REFUSED, ACCEPTED } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/domain/instant.js';
import { scopeOf } from '../checkout.js';

const KEPT = 30 * DAY;

it('deliveries past their retention are absent from all reads, whether or not they were deleted', async () => {
  const t = await createTestGate();
  const scope = scopeOf(t);
  const { deliveries } = t.gate.webhooks;
  t.receiver.answerWith(() => REFUSED);
  const dead = (await t.gate.webhooks.test(scope))._unsafeUnwrap().delivery_id;
  await t.clock.advance('3h');
  t.receiver.answerWith(() => ACCEPTED);
  const { id: session } = await t.createSession();
  await t.clock.advance('1h');
  const ids = async () => (await deliveries.list(scope, { limit: 1 }))._unsafeUnwrap().data.map(({ id }) => id);
  const [delivered = ''] = await ids();
  const timeline = async () => JSON.stringify((await t.gate.sessions.timeline(scope, session))._unsafeUnwrap());
  expect(await timeline()).toContain(delivered);

  // Only time passes; no worker deletes rows.
  await t.clock.advanceTo(t.clock.now('test') + KEPT - 70 * MINUTE);
  const [kept] = (await deliveries.list(scope, {}))._unsafeUnwrap().data;
  expect([kept?.id, await ids()]).toEqual([delivered, [delivered]]);
  expect((await deliveries.retrieve(scope, dead))._unsafeUnwrapErr().code).toBe('delivery_not_found');
  expect((await deliveries.replay(scope, dead))._unsafeUnwrapErr().code).toBe('delivery_not_found');
  expect((await deliveries.replayAll(scope, {}))._unsafeUnwrap().replayed).toBe(0);
  expect((await deliveries.list(scope, {}))._unsafeUnwrap()).toMatchObject({
    data: [{ id: delivered }],
    has_more: false,
  });

  await t.clock.advanceTo(t.clock.now('test') + 2 * HOUR);
  expect((await deliveries.list(scope, {}))._unsafeUnwrap()).toMatchObject({ data: [], has_more: false });
  expect(await timeline()).not.toContain(delivered);
  expect(await t.store.find('delivery', scope, delivered)).not.toBeNull();
});

it('a page is full even if rows past their retention lie between its rows', async () => {
  const t = await createTestGate();
  const scope = scopeOf(t);
  const tested: string[] = [];
  const test = async () => {
    tested.push((await t.gate.webhooks.test(scope))._unsafeUnwrap().delivery_id);
    await t.clock.advance('1s');
  };
  t.receiver.answerWith(() => REFUSED);
  await test();
  await t.clock.advance('3h');
  t.receiver.answerWith(() => ACCEPTED);
  for (let count = 0; count < 5; count += 1) await test();
  await t.clock.advanceTo(t.clock.now('test') + KEPT - HOUR);
  // The oldest is replayed, so that it ends last.
  const revived = tested[0] ?? '';
  expect((await t.gate.webhooks.deliveries.replay(scope, revived)).isOk()).toBe(true);
  await test();
  await t.clock.advanceTo(t.clock.now('test') + 2 * HOUR);
  const page = (await t.gate.webhooks.deliveries.list(scope, { limit: 2 }))._unsafeUnwrap();
  expect(page).toMatchObject({ data: [{ id: tested.at(-1) }, { id: revived }], has_more: false });
});
