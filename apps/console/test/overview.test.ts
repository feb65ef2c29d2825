import { createTestGate, TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

const SCOPE = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const SESSION = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/' };

it('the overview counts each state separately: pending and dead deliveries of any age, failed deliveries of the last day', async () => {
  const { gate, clock, receiver, request } = await createTestGate();
  const url = 'https://shop.example/hook';
  await gate.admin.setEndpoint(SCOPE, { url, secret: 'whsec_0123456789abcdef0123' });
  const console = testConsole(gate);
  // The clock of this gate also moves live time, in which sessions end.
  const read = async (path: string) =>
    (await ask(console, path, { cookie: await signedIn(console, TEST_PARTNER.id) })).json();
  const overview = () => read('/overview');
  const create = async (): Promise<string> => {
    const made = await gate.sessions.create(SCOPE, SESSION);
    if (made.isErr()) throw new Error(made.error.message);
    return made.value.id;
  };
  receiver.answerWith(() => ({ responseStatus: 500, responseBody: '', error: null }));
  await gate.webhooks.test(SCOPE);
  await clock.advance('3d');
  // Dead-lettered two days ago: dead, but not within the last day.
  expect(await overview()).toMatchObject({
    deliveries: { pending: { count: 0 }, dead: { count: 1, more: false }, last_24h: { failed: { count: 0 } } },
  });
  await gate.webhooks.test(SCOPE);
  await gate.runDue();
  expect(await overview()).toMatchObject({
    deliveries: {
      pending: { count: 1 },
      dead: { count: 1 },
      last_24h: { failed: { count: 1 }, delivered: { count: 0 } },
    },
  });
  const [paid, cancelled] = [await create(), await create(), await create()];
  await request('POST', `/v1/test_helpers/gate_sessions/${paid}/simulate`, {
    key: TEST_KEYS.secret.test,
    body: { scenario: 'succeed' },
  });
  await gate.sessions.cancel(SCOPE, cancelled);
  const states = {
    sessions: {
      open: { count: 1, more: false },
      completed: { count: 1, more: false },
      cancelled: { count: 1, more: false },
      expired: { count: 0, more: false },
    },
    payments: { completed: { count: 1 }, failed: { count: 0 }, pending: { count: 0 } },
  };
  expect(await read('/totals')).toMatchObject(states);
  await clock.advance('2d');
  expect(await read('/totals?period=day')).toMatchObject({
    sessions: { open: { count: 0 }, completed: { count: 0 } },
    money: [],
  });
  // The session that was left open has expired since.
  const { sessions } = states;
  expect(await read('/totals?period=month')).toMatchObject({
    ...states,
    sessions: { ...sessions, open: { count: 0 }, expired: { count: 1 } },
  });
});
