import { createGate } from '@gateramp/core';
import { createTestGate, REFUSED } from '@gateramp/testing';
import { manualClock } from '@gateramp/core/runtime';
import { expect, it } from 'vitest';
import { ask, signedIn, testConsole } from './console.js';

interface Clock {
  readonly now: string;
  readonly due: readonly {
    readonly type: string;
    readonly id: string;
    readonly due_at: string;
    readonly what: string;
  }[];
}

async function world() {
  const t = await createTestGate({ policy: { testClock: 'partner' } });
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id, { role: 'developer' });
  const clock = async (): Promise<Clock> => (await ask(console, '/clock', { cookie })).json() as Promise<Clock>;
  const advance = (body: object) => ask(console, '/clock/advance', { method: 'POST', cookie, body });
  return { t, console, cookie, clock, advance };
}

it('lists what is due next in a sandbox, and advances to it, item by item', async () => {
  const { t, clock, advance } = await world();
  t.receiver.answerWith(() => REFUSED);
  const { id } = await t.createSession();
  await t.gate.runDue();
  const before = await clock();
  expect(before.due).toMatchObject([
    { type: 'webhook_delivery', what: 'gate_session.created', subject_id: id, attempts: 1 },
  ]);
  const [retry] = before.due;
  t.receiver.answerWith(() => ({ responseStatus: 200, responseBody: '', error: null }));
  const advanced = await advance({ to_next: true });
  expect(advanced.status).toBe(200);
  expect(await advanced.json()).toMatchObject({
    object: 'test_clock',
    fired: [{ type: 'webhook_delivery', id: retry?.id }],
  });
  const after = await clock();
  expect(after.due).toEqual([]);
  expect(Date.parse(after.now)).toBeGreaterThanOrEqual(Date.parse(retry?.due_at ?? ''));
  const nothing = await advance({ to_next: true });
  expect([nothing.status, await nothing.json()]).toMatchObject([409, { code: 'already_done' }]);
});

it('advances by a span, and moves no other partner', async () => {
  const { t, clock, advance } = await world();
  const other = await t.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
  const scope = { partnerId: other.id, mode: 'test' } as const;
  const timeOfOther = async () => (await t.gate.testClock.retrieve(scope))._unsafeUnwrap().now;
  const [own, others] = [await clock(), await timeOfOther()];
  await advance({ seconds: 3_600 });
  expect(Date.parse((await clock()).now) - Date.parse(own.now)).toBe(3_600_000);
  expect(await timeOfOther()).toBe(others);
});

it.each([[{}], [{ seconds: 60, to_next: true }], [{ seconds: 0 }], [{ seconds: 1.5 }], [{ to_next: false }]])(
  'refuses %j',
  async (body) => {
    const { advance, clock } = await world();
    const { now } = await clock();
    expect((await advance(body)).status).toBe(400);
    expect((await clock()).now).toBe(now);
  },
);

it('is only for test mode, and only where there is a test clock', async () => {
  const { t, console, cookie } = await world();
  const live = await signedIn(console, t.partner.id, { mode: 'live', role: 'admin' });
  expect((await ask(console, '/clock', { cookie: live })).status).toBe(404);
  const body = { seconds: 60, reason: 'none' };
  expect((await ask(console, '/clock/advance', { method: 'POST', cookie: live, body })).status).toBe(404);
  expect(await (await ask(console, '/me', { cookie })).json()).toMatchObject({ features: { test_clock: true } });

  const { testClock: _, ...ports } = t.ports;
  const without = testConsole(createGate({ ...ports, clock: manualClock(t.gate.clock.wall()) }));
  const visitor = await signedIn(without, t.partner.id);
  expect((await ask(without, '/clock', { cookie: visitor })).status).toBe(404);
  expect(await (await ask(without, '/me', { cookie: visitor })).json()).toMatchObject({
    features: { test_clock: false },
  });
});
