import { createTestGate, REFUSED, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;

async function world() {
  const t = await createTestGate({ policy: { retryGaps: [] } });
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, null);
  const read = async (path: string) => (await ask(console, path, { cookie })).json();
  return { t, read, list: (query = '') => read(`/dead_letters${query}`) };
}

it('dead letters of a partner and mode are counted up to 100, and `more` says that there are others', async () => {
  const { t, list } = await world();
  t.receiver.answerWith(() => REFUSED);
  const fail = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await t.gate.webhooks.test(SCOPE);
    await t.gate.runDue();
  };
  await fail(100);
  const of = { partner_id: TEST_PARTNER.id, mode: 'test' };
  expect((await list()).data).toMatchObject([{ ...of, count: 100, more: false }]);
  await fail(1);
  expect((await list()).data).toMatchObject([{ ...of, count: 100, more: true }]);
  expect((await list('?mode=live')).data).toEqual([]);
});

it('dead letters are listed for the first 50 partners, and `has_more` says that there are others', async () => {
  const { t, list } = await world();
  for (let count = 1; count < 50; count += 1)
    await t.gate.admin.createPartner({ name: `Partner ${count}`, allowedOrigins: [] });
  expect(await list()).toMatchObject({ has_more: false });
  await t.gate.admin.createPartner({ name: 'Partner 51', allowedOrigins: [] });
  expect(await list()).toMatchObject({ has_more: true });
});

it('failed work is counted up to 100 of each kind, `more` says that there are others, and operators see that of their partners alone', async () => {
  const { t, read } = await world();
  const { gate, receiver } = t;
  receiver.answerWith(() => REFUSED);
  const fail = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await gate.webhooks.test(SCOPE);
    await gate.runDue();
  };
  const none = { count: 0, more: false };
  expect(await read('/failed_work')).toEqual({
    parked_tasks: { test: none, live: none },
    dead_letters: { test: none, live: none },
  });
  await fail(100);
  expect(await read('/failed_work')).toMatchObject({ dead_letters: { test: { count: 100, more: false }, live: none } });
  await fail(1);
  expect(await read('/failed_work')).toMatchObject({ dead_letters: { test: { count: 100, more: true }, live: none } });
  const others = testConsole(gate, { authorize: () => ({ actor: 'olga', roles: ['viewer'], partners: ['other'] }) });
  expect(await (await ask(others, '/failed_work')).json()).toMatchObject({ dead_letters: { test: none, live: none } });
  const console = testConsole(gate);
  expect((await ask(console, '/failed_work', { cookie: await signedIn(console, TEST_PARTNER.id) })).status).toBe(403);
});
