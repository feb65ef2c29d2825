import type { Scope } from '@gateramp/core';
import { emptyChange } from '@gateramp/core/ports';
import { createTestGate, REFUSED, TEST_PARTNER, TEST_WEBHOOK_SECRET, type TestGate } from '@gateramp/testing';
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

it('dead letters are listed for the first 50 partners that have some, and `has_more` says that there are others', async () => {
  const { t, list } = await world();
  const { gate, receiver } = t;
  receiver.answerWith(() => REFUSED);
  const addPartner = async () => (await gate.admin.createPartner({ name: 'Partner', allowedOrigins: [] })).id;
  const fail = async (partnerId: string) => {
    const scope = { partnerId, mode: 'test' } as const;
    await gate.admin.setEndpoint(scope, { url: 'https://shop.example/hooks', secret: TEST_WEBHOOK_SECRET });
    await gate.webhooks.test(scope);
    await gate.runDue();
    return partnerId;
  };
  for (let count = 0; count < 60; count += 1) await addPartner();
  const partners: string[] = [];
  for (let count = 0; count < 50; count += 1) partners.push(await fail(await addPartner()));
  const { data, has_more: hasMore } = await list();
  expect(data.map((one: { readonly partner_id: string }) => one.partner_id).sort()).toEqual(partners.sort());
  expect(hasMore).toBe(false);
  await fail(await addPartner());
  expect(await list()).toMatchObject({ data: { length: 50 }, has_more: true });
});

it('/failed_work counts dead letters up to 100 of a partner and mode, parked tasks up to 100 of a mode, and `more` says that there are others', async () => {
  const { t, read } = await world();
  const { gate, receiver } = t;
  receiver.answerWith(() => REFUSED);
  const fail = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await gate.webhooks.test(SCOPE);
    await gate.runDue();
  };
  const [none, full, cut] = [
    { count: 0, more: false },
    { count: 100, more: false },
    { count: 100, more: true },
  ];
  expect(await read('/failed_work')).toEqual({
    parked_tasks: { test: none, live: none },
    dead_letters: { test: none, live: none },
  });
  await fail(100);
  await park(t, 100);
  expect(await read('/failed_work')).toEqual({
    parked_tasks: { test: full, live: none },
    dead_letters: { test: full, live: none },
  });
  await fail(1);
  await park(t, 1);
  expect(await read('/failed_work')).toEqual({
    parked_tasks: { test: cut, live: none },
    dead_letters: { test: cut, live: none },
  });
});

it('/failed_work shows operators the work of their partners alone, and 403 to users of partners', async () => {
  const { t } = await world();
  const { gate, receiver } = t;
  receiver.answerWith(() => REFUSED);
  await gate.webhooks.test(SCOPE);
  await gate.runDue();
  await park(t, 1);
  const failedFor = async (partner: string) => {
    const authorize = () => ({ actor: 'olga', roles: ['viewer'], partners: [partner] }) as const;
    return (await ask(testConsole(gate, { authorize }), '/failed_work')).json();
  };
  const [one, none] = [
    { count: 1, more: false },
    { count: 0, more: false },
  ];
  expect(await failedFor(TEST_PARTNER.id)).toMatchObject({ parked_tasks: { test: one }, dead_letters: { test: one } });
  expect(await failedFor('other')).toMatchObject({ parked_tasks: { test: none }, dead_letters: { test: none } });
  const console = testConsole(gate);
  expect((await ask(console, '/failed_work', { cookie: await signedIn(console, TEST_PARTNER.id) })).status).toBe(403);
});

it('/failed_work shows an operator of some partners all of theirs, however much other partners have', async () => {
  const { t } = await world();
  const { gate, receiver } = t;
  receiver.answerWith(() => REFUSED);
  await park(t, 101);
  const partners: string[] = [];
  for (let count = 0; count < 60; count += 1)
    partners.push((await gate.admin.createPartner({ name: `Partner ${count}`, allowedOrigins: [] })).id);
  const last = { partnerId: partners.at(-1) ?? '', mode: 'test' } as const;
  await gate.admin.setEndpoint(last, { url: 'https://shop.example/hooks', secret: TEST_WEBHOOK_SECRET });
  await gate.webhooks.test(last);
  await gate.runDue();
  await park(t, 2, last);
  const authorize = () => ({ actor: 'olga', roles: ['viewer'], partners }) as const;
  expect(await (await ask(testConsole(gate, { authorize }), '/failed_work')).json()).toMatchObject({
    parked_tasks: { test: { count: 2, more: false } },
    dead_letters: { test: { count: 1, more: false } },
  });
});

it('/failed_work and /dead_letters count dead letters of 500 partners, and `more` and `has_more` say that there are others', async () => {
  const { t, read } = await world();
  for (let count = 1; count < 500; count += 1)
    await t.gate.admin.createPartner({ name: `Partner ${count}`, allowedOrigins: [] });
  const counted = (more: boolean) => ({
    parked_tasks: { test: { more: false } },
    dead_letters: { test: { count: 0, more }, live: { count: 0, more } },
  });
  expect(await read('/failed_work')).toMatchObject(counted(false));
  expect(await read('/dead_letters')).toMatchObject({ has_more: false });
  await t.gate.admin.createPartner({ name: 'Partner 501', allowedOrigins: [] });
  expect(await read('/failed_work')).toMatchObject(counted(true));
  expect(await read('/dead_letters')).toMatchObject({ has_more: true });
});

let parked = 0;

/** Stores tasks that were parked. */
async function park({ gate, store }: TestGate, count: number, scope: Scope = SCOPE): Promise<void> {
  const now = gate.clock.now(scope);
  const tasks = Array.from({ length: count }, () => ({
    ...({
      ...scope,
      id: `parked-${(parked += 1)}`,
      kind: 'quota_check',
      status: 'parked',
      subjectId: 'session',
    } as const),
    ...{ leaseToken: null, leaseUntil: null, claims: 0, failures: 0, createdAt: now, dueAt: now },
  }));
  expect((await store.commit({ ...emptyChange(scope, now), tasks })).kind).toBe('committed');
}
