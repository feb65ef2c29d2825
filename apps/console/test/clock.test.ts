import { createGate } from '@gateramp/core';
import { ACCEPTED, createTestGate, REFUSED, TEST_KEYS } from '@gateramp/testing';
import { manualClock } from '@gateramp/core/runtime';
import { describe, expect, it } from 'vitest';
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

const SCOPE = ({ t }: Awaited<ReturnType<typeof world>>) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

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

it('lists the alarm of a hold while it lasts', async () => {
  const { t, clock } = await world();
  const simulate = async (id: string, scenario: string) => {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    expect((await t.request('POST', path, { key: TEST_KEYS.secret.test, body: { scenario } })).status).toBe(200);
  };
  const [paid, paying] = [await t.createSession(), await t.createSession()];
  await simulate(paid.id, 'succeed');
  await simulate(paying.id, 'processing');
  await t.gate.runDue();
  const alarms = (await clock()).due.filter(({ what }) => what === 'hold_alarm');
  expect(alarms).toMatchObject([{ subject_id: paying.id }]);
  // Those that are left out do not take the place of what is due after them.
  const [next] = (await clock()).due;
  expect(await t.gate.admin.sandboxWork(t.partner.id, 1)).toMatchObject([{ id: next?.id }]);
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

it('tells in each answer the time of the server, and in test mode that of the sandbox', async () => {
  const made = await world();
  const { t, console, cookie, advance } = made;
  await advance({ seconds: 3_600 });
  const timesOf = async (path: string, of: string) => {
    const { headers } = await ask(console, path, { cookie: of });
    return ['gate-now', 'gate-sandbox-now'].map((name) => headers.get(name));
  };
  const [now, sandbox] = [t.gate.clock.now('live'), t.gate.clock.now(SCOPE(made))].map(String);
  expect(sandbox).not.toBe(now);
  expect(await timesOf('/sessions', cookie)).toEqual([now, sandbox]);
  expect(await timesOf('/me', cookie)).toEqual([now, null]);
  const live = await signedIn(console, t.partner.id, { mode: 'live' });
  expect(await timesOf('/sessions', live)).toEqual([now, null]);
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

describe('an advance to the end of a session', () => {
  const toEnd = async ({ console, cookie }: Awaited<ReturnType<typeof world>>, id: string) => {
    const answer = await ask(console, `/sessions/${id}/advance`, { method: 'POST', cookie });
    return [answer.status, await answer.json()] as const;
  };

  const simulate = async ({ t }: Awaited<ReturnType<typeof world>>, id: string, scenario: string) => {
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    expect((await t.request('POST', path, { key: t.keys.secret.test, body: { scenario } })).status).toBe(200);
  };

  it('runs item by item until the session has ended and its deliveries have finished', async () => {
    const w = await world();
    w.t.receiver.answerWith(({ body }) => (body.includes('gate_session.completed') ? REFUSED : ACCEPTED));
    const { id } = await w.t.createSession();
    await simulate(w, id, 'processing');
    expect(await toEnd(w, id)).toMatchObject([200, { stopped: 'nothing_due', session: { status: 'open' } }]);
    const other = await w.t.createSession();
    await w.t.settle(other.id);
    const [, ended] = await toEnd(w, other.id);
    expect(ended).toMatchObject({ stopped: 'ended', session: { id: other.id, status: 'completed' } });
    const { data } = (await w.t.gate.webhooks.deliveries.list(SCOPE(w), { session_id: other.id }))._unsafeUnwrap();
    expect(data.map(({ status }) => status).toSorted()).toEqual(
      data
        .map(({ event_type: type }) => (type === 'gate_session.completed' ? 'dead_lettered' : 'delivered'))
        .toSorted(),
    );
    expect((await toEnd(w, other.id))[1]).toMatchObject({ stopped: 'ended', ran: 0 });
  });

  it('stops when the buyer must act first, without moving the clock', async () => {
    const w = await world();
    const { id } = await w.t.createSession();
    await w.t.gate.runDue();
    const { now } = await w.clock();
    expect(await toEnd(w, id)).toMatchObject([200, { stopped: 'waits_for_buyer', ran: 0, now }]);
    await simulate(w, id, 'kyc_required');
    expect(await toEnd(w, id)).toMatchObject([200, { stopped: 'waits_for_buyer', session: { status: 'open' } }]);
    expect((await w.clock()).now).toBe(now);
  });

  it('answers 404 for a session of another partner', async () => {
    const w = await world();
    const other = await w.t.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: ['https://shop.example'] });
    const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
    const made = (await w.t.gate.sessions.create({ partnerId: other.id, mode: 'test' }, body))._unsafeUnwrap();
    expect((await toEnd(w, made.id))[0]).toBe(404);
    expect((await toEnd(w, 'unknown'))[0]).toBe(404);
  });
});

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
